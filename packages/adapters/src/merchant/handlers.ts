// The handlers of a shop, one function for each event. An event without a handler is answered with 501.
import type { CancelAnswer } from '@plazo/core'
import { cancelResponse, type IpnAnswer, ipnResponse, OK_RESPONSE } from './answers.ts'
import type { ReceiverResponse } from './idempotency.ts'
import type { Webhook } from './webhook.ts'

type EventOf<Event extends Webhook['event']> = Extract<Webhook, { readonly event: Event }>

/** If a handler throws, the answer is 500, and the service sends again. The service waits 30 s for an answer. */
export type MerchantHandlers = {
  /** An order on hold was rejected. As with all events that only inform, the result is awaited but its value is not used. */
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
export const handlerFor = (on: MerchantHandlers, webhook: Webhook): (() => Promise<ReceiverResponse>) | undefined => {
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
  answer: (given: A) => ReceiverResponse,
): (() => Promise<ReceiverResponse>) | undefined => handle && (async () => answer(await handle(webhook)))
