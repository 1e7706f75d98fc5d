// The port that makes one signed request to a merchant: an IPN or an event. Interface §4.4, §5.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Heard } from '../delivery/acceptance.ts'
import type { MerchantRequest } from '../order/effect.ts'

/** No answer that could be judged: why, in one word and in full. */
export type RequestFailure = {
  readonly _tag: 'RequestFailure'
  readonly error:
    | 'timeout'
    | 'dns'
    | 'connection_refused'
    | 'connection_reset'
    | 'tls'
    | 'protocol_error'
    | 'response_too_large'
    | 'blocked_address'
    | 'merchant_unknown'
    /** What signs could not be read: no request was made. */
    | 'secrets_unavailable'
    /** This process or its machine has no socket left: no request was made. */
    | 'no_socket'
  readonly message: string
  /** Where the answer began, and its body failed. */
  readonly status?: number
}

/** Of which answers the whole body is waited for: of all, of none, or of those of these statuses. */
export type ReadsBody = boolean | readonly number[]

/**
 * Whether an attempt keeps this node busy: it is being sent or its answer is being read (`active`), or it waits for the other
 * side to connect, answer, or go on (`waiting`) and costs a socket and a timer only.
 */
export type AttemptActivity = 'active' | 'waiting'

export type MerchantGateway = {
  /** `id` is the `Webhook-Id`: the same for every attempt. Ends within 30 s. */
  readonly post: (
    request: MerchantRequest & {
      readonly id: string
      readonly merchantRef: string
      readonly readsBody: ReadsBody
      /** The attempt's name in the gateway's reports of whether it waits. */
      readonly attempt?: string
    },
  ) => TaskEither<RequestFailure, Heard>
}
