// The port that sends one signed request to a merchant: an IPN or an event. Interface §4.4, §5.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AttemptRequest, HttpResponse, NoAnswerReason } from '../delivery/attempt.ts'
import type { MerchantRequest } from '../order/effects/effect.ts'

/**
 * The request got no usable answer. `error` names the reason in one word, `message` explains it.
 */
export type RequestFailure = {
  readonly _tag: 'RequestFailure'
  readonly error: NoAnswerReason
  readonly message: string
  /**
   * What `error` leaves open, for merchants and operators: plain words that hold no personal data
   * and no secret.
   */
  readonly reason?: string
  /** The status, if the answer began but its body failed. */
  readonly status?: number
  readonly sent?: AttemptRequest['sent']
}

/**
 * The answers whose whole body the gateway waits for: all (true), none (false), or those with these
 * statuses.
 */
export type ReadsBody = boolean | readonly number[]

/**
 * Whether an attempt keeps this node busy. `active`: the request is being sent, or its answer is
 * being read. `waiting`: the other side must connect, answer or continue, and the attempt costs
 * only a socket and a timer.
 */
export type AttemptActivity = 'active' | 'waiting'

/**
 * Sends one signed request to a merchant. It never rejects: a failed request is a `RequestFailure`.
 */
export type MerchantGateway = {
  /** `id` is the `Webhook-Id`, the same for every attempt. Returns within 30 s. */
  readonly post: (
    request: MerchantRequest & {
      readonly id: string
      readonly merchantRef: string
      readonly readsBody: ReadsBody
      /** True: signs with another secret than the merchant's, which a receiver must refuse. */
      readonly isForged?: boolean
      /** Identifies the attempt when the gateway reports its `AttemptActivity`. */
      readonly attempt?: string
    },
  ) => TaskEither<RequestFailure, HttpResponse>
}
