// Judges shops by endpoint in memory.
import {
  type Endpoint,
  type EndpointKind,
  type Endpoints,
  isGoodAttempt,
  queueNameOf,
  type Report,
} from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { JobRow } from '../rows/rows.ts'

type Writable<A> = { -readonly [name in keyof A]: A[name] }

const byKey = (a: readonly unknown[], b: readonly unknown[]): number => {
  const [one, other] = [a.join('\n'), b.join('\n')]
  return one < other ? -1 : one > other ? 1 : 0
}

export const memoryEndpoints = () => {
  const endpoints = new Map<string, Writable<Endpoint>>()
  const goodness = new Map<string, boolean>()

  const endpointOf = (merchantRef: string, kind: EndpointKind): Writable<Endpoint> => {
    const key = `${kind} ${merchantRef}`
    const found = endpoints.get(key) ?? {
      merchantRef,
      kind,
      lastGoodAt: null,
      failingSince: null,
      failures: 0,
    }
    endpoints.set(key, found)
    return found
  }

  const noteGoodness = (merchantRef: string, kind: EndpointKind, isGood: boolean): void => {
    endpointOf(merchantRef, kind)
    goodness.set(`${kind} ${merchantRef}`, isGood)
  }

  return {
    countAttempt: (
      { merchantRef, effect }: JobRow,
      startedAt: number,
      report: Report | undefined,
    ): void => {
      const queue = queueNameOf(effect.payload.kind)
      if (queue === 'work' || report === undefined || isGoodAttempt(report) === null) return
      const endpoint = endpointOf(merchantRef, queue)
      if (report.error === null) {
        const lastGoodAt = Math.max(endpoint.lastGoodAt ?? 0, startedAt)
        Object.assign(endpoint, { lastGoodAt, failingSince: null, failures: 0 })
      } else {
        endpoint.failures += 1
        endpoint.failingSince ??= startedAt
      }
    },
    /** Null: the merchant was never called. */
    isGood: (merchantRef: string, kind: EndpointKind): boolean | null =>
      goodness.get(`${kind} ${merchantRef}`) ?? null,
    noteGoodness,
    port: (waiting: (merchantRef: string, kind: EndpointKind) => number): Endpoints => ({
      list: ({ merchantRef, isFailing, limit }) =>
        TE.fromIO(() =>
          [...endpoints.values()]
            .filter(
              (each) =>
                (merchantRef === null || each.merchantRef === merchantRef) &&
                (!isFailing || each.failingSince !== null),
            )
            .sort((a, b) => byKey([a.merchantRef, a.kind], [b.merchantRef, b.kind]))
            .sort((a, b) => (isFailing ? (a.failingSince ?? 0) - (b.failingSince ?? 0) : 0))
            .slice(0, limit)
            .map((each) => ({ ...each })),
        ),
      waiting: (merchantRef, kind) => TE.fromIO(() => waiting(merchantRef, kind)),
    }),
  }
}
