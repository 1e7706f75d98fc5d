// Calls merchants on the caller's event loop. `threaded-gateway.ts` does the same in another
// thread.
import type { AddressGuard } from '../guard/ssrf-guard.ts'
import { nodeHmac } from '../signature.ts'
import { type ConnectionsOptions, createConnections } from './connections.ts'
import {
  type ClosableMerchantGateway,
  createSignedRequests,
  type SignedGatewayOptions,
  type SignedRequestsOptions,
  signedGateway,
} from './signed-requests.ts'

type NodeOptions = ConnectionsOptions & {
  readonly guard: Pick<AddressGuard, 'checkUrl' | 'isAllowed'>
}

/** Who signs, which addresses may be called, and how many connections are kept. */
export type MerchantGatewayOptions = SignedGatewayOptions & NodeOptions

/** Signed requests over connections that are kept, to addresses that the guard allows. */
export const createNodeRequests = (options: SignedRequestsOptions & NodeOptions) => {
  const { send, close } = createConnections(options)
  return { sendSigned: createSignedRequests(options, send, nodeHmac), close }
}

/**
 * Signs each request to a merchant and sends it from the caller's event loop, within one deadline.
 * It checks every address that it connects to. Interface §4.4, §5, contract §6.
 */
export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway => {
  const { sendSigned, close } = createNodeRequests(options)
  return signedGateway(options, sendSigned, close)
}
