// The handlers of a shop, one function for each event. An event without a handler is answered with 501.
import type { CancelAnswer } from '@plazo/core'
import type { Answered } from './answer-memory.ts'
import { cancelAnswer, type IpnAnswer, ipnAnswer, NOTED } from './answers.ts'
import type { Webhook } from './webhook.ts'

type Told<Event extends Webhook['event']> = Extract<Webhook, { readonly event: Event }>

/** If a handler throws, the answer is 500, and the service sends again. The service waits 30 s for an answer. */
export type MerchantHandlers = {
  /** An order on hold was rejected. As with all events that only inform, the result is awaited but its value is not used. */
  readonly cancelled?: (told: Told<'cancelled'>) => unknown
  readonly denied?: (told: Told<'denied'>) => unknown
  readonly risk_assessment?: (told: Told<'risk_assessment'>) => unknown
  readonly identification_action?: (told: Told<'identification_action'>) => unknown
  /** Left out: the service assumes that the shop does not support `cancel`, and stops asking. */
  readonly cancel?: (told: Told<'cancel'>) => CancelAnswer | Promise<CancelAnswer>
  /** Left out: the service sees an error and sends again for a week. */
  readonly ipn?: (told: Told<'ipn'>) => IpnAnswer | Promise<IpnAnswer>
}

/** `undefined` if there is no handler. */
export const handling = (on: MerchantHandlers, webhook: Webhook): (() => Promise<Answered>) | undefined => {
  switch (webhook.event) {
    case 'cancelled':
      return informing(on.cancelled, webhook)
    case 'denied':
      return informing(on.denied, webhook)
    case 'risk_assessment':
      return informing(on.risk_assessment, webhook)
    case 'identification_action':
      return informing(on.identification_action, webhook)
    case 'cancel':
      return asking(on.cancel, webhook, cancelAnswer)
    case 'ipn':
      return asking(on.ipn, webhook, ipnAnswer)
  }
}

const informing = <W>(handle: ((told: W) => unknown) | undefined, webhook: W) => asking(handle, webhook, () => NOTED)

const asking = <W, A>(
  handle: ((told: W) => A | Promise<A>) | undefined,
  webhook: W,
  answer: (given: A) => Answered,
): (() => Promise<Answered>) | undefined => handle && (async () => answer(await handle(webhook)))
