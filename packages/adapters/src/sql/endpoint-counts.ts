// Derives from an attempt what it says about its endpoint. Every SQL store uses this, so that both
// databases count alike.
import {
  type EndpointKind,
  isGoodAttempt,
  type Job,
  queueNameOf,
  type Report,
} from '@plazo/core/ports'

export type EndpointResult = {
  readonly merchantRef: string
  readonly kind: EndpointKind
  readonly isGood: boolean
}

/** Null: the attempt says nothing about the shop. */
export const endpointResultOf = (
  { merchantRef, payload }: Pick<Job, 'merchantRef' | 'payload'>,
  report: Report,
): EndpointResult | null => {
  const kind = queueNameOf(payload.kind)
  const isGood = isGoodAttempt(report)
  return kind === 'work' || isGood === null ? null : { merchantRef, kind, isGood }
}
