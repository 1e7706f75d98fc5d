// Calls merchants from the event loop that asks; `threaded-gateway.ts` does from a thread beside it.
import type { MerchantGateway } from '@plazo/core'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type SignedRequestsOptions, signedRequests } from './signed-requests.ts'

export type MerchantGatewayOptions = SignedRequestsOptions & {
  /** A merchant's live secrets, the current one first; none where he is not known. Left: they could not be read. */
  readonly secretsOf: (merchantRef: string) => TaskEither<unknown, readonly string[]>
  /** Real time, epoch milliseconds, for `Webhook-Timestamp`: receivers compare it with their own clocks. */
  readonly realNow: () => number
  /** Real milliseconds for one attempt over everything, DNS to last body byte; 30 s unless given. */
  readonly timeoutMillis?: number
}

/** `close` ends the connections that are kept, and with them what is in flight. */
export type ClosableMerchantGateway = MerchantGateway & { readonly close: () => void }

export const ATTEMPT_MILLIS = 30_000

export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway => {
  const { secretsOf, realNow, timeoutMillis = ATTEMPT_MILLIS } = options
  const { make, close } = signedRequests(options)
  return {
    post: (posted) => () => make(posted, { secrets: () => secretsOf(posted.merchantRef)(), realNow }, timeoutMillis),
    close,
  }
}
