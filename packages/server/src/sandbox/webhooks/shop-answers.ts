// How the simulated shop answers its webhooks. A developer chooses an answer in the URL, so that each
// way in which a checkout can end is seen without a shop. Sandbox rules, Demo.
import {
  cancelled,
  type MerchantHandlers,
  refused,
  retryIn,
  taken,
  tooLate,
} from '@plazo/adapters/merchant'
import { RETRY_IN_MINUTES_MAX } from '@plazo/core/protocol'

export type Endpoint = 'ipn' | 'events'

export const ignore = (): void => {}

const INFORMED: MerchantHandlers = {
  cancelled: ignore,
  denied: ignore,
  risk_assessment: ignore,
  identification_action: ignore,
}

const fail = (): never => {
  throw new Error('The shop was asked to fail.')
}

type Handlers = { readonly accept: MerchantHandlers; readonly [answer: string]: MerchantHandlers }

/**
 * By endpoint, and by the parameter `answer` of its URL. Without one, or with another, the shop
 * accepts everything.
 */
export const HANDLERS: { readonly [endpoint in Endpoint]: Handlers } = {
  ipn: { accept: { ipn: taken }, conflict: { ipn: refused }, error: { ipn: fail } },
  events: {
    accept: { ...INFORMED, cancel: cancelled },
    toolate: { ...INFORMED, cancel: () => tooLate(3) },
    retry: { ...INFORMED, cancel: () => retryIn(RETRY_IN_MINUTES_MAX) },
    unsupported: INFORMED,
    error: { ...INFORMED, cancel: fail },
  },
}
