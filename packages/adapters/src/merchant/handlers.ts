// What a shop does about each thing it is told, one function an event; what it leaves out is answered 501.
import type { CancelAnswer } from '@plazo/core'
import type { Answered } from './answer-memory.ts'
import { cancelAnswer, type IpnAnswer, ipnAnswer, NOTED } from './answers.ts'
import type { Webhook } from './webhook.ts'

type Told<Event extends Webhook['event']> = Extract<Webhook, { readonly event: Event }>

/** What is thrown is answered 500, and the service asks again. It waits 30 s for an answer. */
export type MerchantHandlers = {
  /** An order on hold was rejected. What this gives back is waited for, no more; so with all that only inform. */
  readonly cancelled?: (told: Told<'cancelled'>) => unknown
  readonly denied?: (told: Told<'denied'>) => unknown
  readonly risk_assessment?: (told: Told<'risk_assessment'>) => unknown
  readonly identification_action?: (told: Told<'identification_action'>) => unknown
  /** Left out: the service takes it that the shop does not cancel, and asks no more. */
  readonly cancel?: (told: Told<'cancel'>) => CancelAnswer | Promise<CancelAnswer>
  /** Left out: an error to the service, which asks for a week. */
  readonly ipn?: (told: Told<'ipn'>) => IpnAnswer | Promise<IpnAnswer>
}

/** `undefined` where nothing handles it. */
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
