// The handlers of a shop, one function for each event, and the answers that they may give. An event
// without a handler is answered with 501. Interface §6.1, contract §5 and §6.
import { type CancelAnswer, decodeCancelAnswer, RETRY_IN_MINUTES_MAX } from '@plazo/core/protocol'
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
 * an answer.
 */
export type MerchantHandlers = {
  /**
   * An order on hold was rejected. As with all events that only inform, the result is awaited but
   * its value is not used.
   */
  readonly cancelled?: (webhook: EventOf<'cancelled'>) => unknown
  readonly denied?: (webhook: EventOf<'denied'>) => unknown
  readonly risk_assessment?: (webhook: EventOf<'risk_assessment'>) => unknown
  readonly identification_action?: (webhook: EventOf<'identification_action'>) => unknown
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
  switch (webhook.event) {
    case 'cancelled':
      return notifyHandler(on.cancelled, webhook)
    case 'denied':
      return notifyHandler(on.denied, webhook)
    case 'risk_assessment':
      return notifyHandler(on.risk_assessment, webhook)
    case 'identification_action':
      return notifyHandler(on.identification_action, webhook)
    case 'cancel':
      return askHandler(on.cancel, webhook, cancelResponse)
    case 'ipn':
      return askHandler(on.ipn, webhook, ipnResponse)
  }
}

const notifyHandler = <W>(handle: ((webhook: W) => unknown) | undefined, webhook: W) =>
  askHandler(handle, webhook, () => OK_RESPONSE)

const askHandler = <W, A>(
  handle: ((webhook: W) => A | Promise<A>) | undefined,
  webhook: W,
  answer: (reply: A) => ReceiverResponse,
): (() => Promise<ReceiverResponse>) | undefined =>
  handle && (async () => answer(await handle(webhook)))

/** The order is cancelled at the shop. */
export const cancelled = (): CancelAnswer => ({ result: 'cancelled' })

/**
 * The shop cannot cancel any more. `lateByMinutes`: by how many whole minutes the request came too
 * late, 0 or more. Throws a `RangeError` otherwise.
 */
export const tooLate = (lateByMinutes: number): CancelAnswer => {
  if (!Number.isSafeInteger(lateByMinutes) || lateByMinutes < 0)
    throw new RangeError(`tooLate requires whole minutes, 0 or more (got ${lateByMinutes}).`)
  return { result: 'toolate', lateByMinutes }
}

/**
 * The shop cannot cancel yet, and asks to be asked again. `minutes`: whole minutes, 1 to 1440,
 * until the shop should be asked again. Throws a `RangeError` otherwise.
 */
export const retryIn = (minutes: number): CancelAnswer => {
  if (!Number.isSafeInteger(minutes) || minutes < 1 || minutes > RETRY_IN_MINUTES_MAX)
    throw new RangeError(
      `retryIn requires 1 to ${RETRY_IN_MINUTES_MAX} whole minutes (got ${minutes}).`,
    )
  return { result: 'retry', retryInMinutes: minutes }
}

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

const cancelBody = (answer: CancelAnswer): object => {
  switch (answer?.result) {
    case 'cancelled':
      return { result: 'cancelled' }
    case 'toolate':
      return { result: 'toolate', late_by: answer.lateByMinutes }
    case 'retry':
      return { result: 'retry', retry_in: answer.retryInMinutes }
  }
}

/**
 * Throws a `TypeError` if the service would not accept the answer, because a handler may be written
 * without types.
 */
export const cancelResponse = (answer: CancelAnswer): ReceiverResponse => {
  const body = JSON.stringify(cancelBody(answer)) ?? ''
  const understood = decodeCancelAnswer(body)
  if (understood === null || (understood.result === 'toolate' && understood.lateByMinutes === null))
    throw new TypeError(
      'The cancel handler must answer cancelled(), tooLate(minutes) or retryIn(minutes).',
    )
  return { status: 200, body }
}

/**
 * Throws a `TypeError` on anything else, so that a handler that forgets to answer confirms no
 * order.
 */
export const ipnResponse = (answer: IpnAnswer): ReceiverResponse => {
  switch (answer?.ipn) {
    case 'taken':
      return OK_RESPONSE
    case 'refused':
      return { status: 409, body: '' }
    default:
      throw new TypeError('The IPN handler must answer taken() or refused().')
  }
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
