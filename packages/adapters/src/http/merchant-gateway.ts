// Calls merchants on the caller's event loop. `threaded-gateway.ts` does the same in another thread.
import type { MerchantGateway } from '@plazo/core'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createSignedRequests, type SignedRequestsOptions } from './signed-requests.ts'

export type MerchantGatewayOptions = SignedRequestsOptions & {
  /** A merchant's live secrets, the current one first. Empty if the merchant is unknown. Left: they could not be read. */
  readonly secretsOf: (merchantRef: string) => TaskEither<unknown, readonly string[]>
  /** Real time, epoch milliseconds, for `Webhook-Timestamp`: receivers compare it with their own clocks. */
  readonly realNow: () => number
  /** Real milliseconds for one whole attempt, from DNS to the last byte of the body. Default: 30 s. */
  readonly timeoutMillis?: number
}

/** `close` closes all connections, including those with requests in flight. */
export type ClosableMerchantGateway = MerchantGateway & { readonly close: () => void }

export const ATTEMPT_MILLIS = 30_000

export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway => {
  const { secretsOf, realNow, timeoutMillis = ATTEMPT_MILLIS } = options
  const { sendSigned, close } = createSignedRequests(options)
  return {
    post: (request) => () =>
      sendSigned(request, { secrets: () => secretsOf(request.merchantRef)(), realNow }, timeoutMillis),
    close,
  }
}
