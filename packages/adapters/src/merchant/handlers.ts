// The handlers of a shop, one function for each event, and the answers that they may give. An event
// without a handler is answered with 501. Interface §6.1, contract §5 and §6.
import { type CancelAnswer, decodeCancelAnswer } from '@plazo/core/internal'
import type { Webhook } from './webhook.ts'

/** An answer to the service. */
export type ReceiverResponse = {
  readonly status: number
  /** JSON, or empty. */
  readonly body: string
}

type EventOf<Event extends Webhook['event']> = Extract<Webhook, { readonly event: Event }>

/**
 * If a handler throws, the answer is 500, and the service sends again. The service waits 30 s for
 * an answer. The result of a handler of an event that only informs is awaited, but its value is not
 * used. `cancelled`: an order on hold was rejected.
 */
export type MerchantHandlers = {
  readonly [Event in Exclude<Webhook['event'], 'cancel' | 'ipn'>]?: (
    webhook: EventOf<Event>,
  ) => unknown
} & {
  /** Left out: the service assumes that the shop does not support `cancel`, and stops asking. */
  readonly cancel?: (webhook: EventOf<'cancel'>) => CancelAnswer | Promise<CancelAnswer>
  /** Left out: the service sees an error and sends again for a week. */
  readonly ipn?: (webhook: EventOf<'ipn'>) => IpnAnswer | Promise<IpnAnswer>
}

/** `undefined` if there is no handler. */
export const handlerFor = (
  on: MerchantHandlers,
  webhook: Webhook,
): (() => Promise<ReceiverResponse>) | undefined => {
  // The compiler loses the tie between the webhook and the handler of its event.
  const handle = on[webhook.event] as ((webhook: Webhook) => unknown) | undefined
  return handle && (async () => responseTo(webhook, await handle(webhook)))
}

const responseTo = ({ event }: Webhook, answer: unknown): ReceiverResponse => {
  if (event === 'cancel') return cancelResponse(answer)
  return event === 'ipn' ? ipnResponse(answer) : OK_RESPONSE
}

/** The order is cancelled at the shop. */
export const cancelled = (): CancelAnswer => ({ result: 'cancelled' })

/**
 * The shop cannot cancel any more. `lateByMinutes`: by how many whole minutes the request came too
 * late, 0 or more.
 */
export const tooLate = (lateByMinutes: number): CancelAnswer => ({
  result: 'toolate',
  lateByMinutes,
})

/**
 * The shop cannot cancel yet, and asks to be asked again. `minutes`: whole minutes, 1 to 1440,
 * until the shop should be asked again.
 */
export const retryIn = (minutes: number): CancelAnswer => ({
  result: 'retry',
  retryInMinutes: minutes,
})

/**
 * Whether the shop accepts the IPN. `taken` is answered with 200; `refused` with 409, and the order
 * is then refused. Interface §6.1.
 */
export type IpnAnswer = { readonly ipn: 'taken' | 'refused' }

/** The shop accepts the order (or accepts it on hold). */
export const taken = (): IpnAnswer => ({ ipn: 'taken' })

/**
 * The shop cannot accept the order. The checkout ends as a conflict, and the shop is never asked
 * again.
 */
export const refused = (): IpnAnswer => ({ ipn: 'refused' })

const OK_RESPONSE: ReceiverResponse = { status: 200, body: '' }

export const errorResponse = (status: number, error: string): ReceiverResponse => ({
  status,
  body: JSON.stringify({ error }),
})

/**
 * Throws a `TypeError` if the service would not accept the answer, because a handler may be written
 * without types.
 */
export const cancelResponse = (answer: unknown): ReceiverResponse => {
  const { result, lateByMinutes, retryInMinutes } = Object(answer)
  const body = JSON.stringify({ result, late_by: lateByMinutes, retry_in: retryInMinutes })
  const understood = decodeCancelAnswer(body)
  if (understood === null || (understood.result === 'toolate' && understood.lateByMinutes === null))
    throw new TypeError(
      'The cancel handler must answer cancelled(), tooLate(minutes) or retryIn(minutes), with whole minutes.',
    )
  return { status: 200, body }
}

/**
 * Throws a `TypeError` on anything else, so that a handler that forgets to answer confirms no
 * order.
 */
export const ipnResponse = (answer: unknown): ReceiverResponse => {
  const { ipn } = Object(answer)
  if (ipn !== 'taken' && ipn !== 'refused')
    throw new TypeError('The IPN handler must answer taken() or refused().')
  return ipn === 'taken' ? OK_RESPONSE : { status: 409, body: '' }
}

export const toResponse = ({ status, body }: ReceiverResponse): Response =>
  new Response(body === '' ? null : body, {
    status,
    headers: {
      ...(body !== '' && { 'content-type': 'application/json' }),
      ...(status === 405 && { allow: 'POST' }),
      // The rest of the body is still unread in the connection, so no other request can use it.
      ...(status === 413 && { connection: 'close' }),
    },
  })
