// Calls merchants on the caller's event loop. `threaded-gateway.ts` does the same in another
// thread.
import { lookup as systemLookup } from 'node:dns'
import { type AddressGuard, createSafeLookup, type LookupAll, portOf } from '../guard/ssrf-guard.ts'
import { nodeHmac } from '../signature.ts'
import { createKeepAliveAgents } from './keep-alive-agents.ts'
import {
  type ClosableMerchantGateway,
  createSignedRequests,
  type SignedGatewayOptions,
  type SignedRequests,
  type SignedRequestsOptions,
  signedGateway,
} from './signed-requests.ts'

type NodeOptions = {
  readonly guard: Pick<AddressGuard, 'checkUrl' | 'isAllowed'>
  readonly lookup?: LookupAll
  /** The number of connections beyond which none is kept for the next request. Default: 4,000. */
  readonly connectionsMax?: number
}

/** Who signs, which addresses may be called, and how many connections are kept. */
export type MerchantGatewayOptions = SignedGatewayOptions & NodeOptions

/** Signed requests over connections that are kept, to addresses that the guard allows. */
export const createNodeRequests = (
  options: SignedRequestsOptions & NodeOptions,
): SignedRequests => {
  const { guard, lookup = systemLookup, connectionsMax } = options
  const peerOf = (url: URL) => ({
    lookup: createSafeLookup(lookup, guard, portOf(url)),
    isAllowed: guard.isAllowed,
  })
  return createSignedRequests(options, createKeepAliveAgents(peerOf, connectionsMax), nodeHmac)
}

/**
 * Signs each request to a merchant and sends it from the caller's event loop, within one deadline.
 * It checks every address that it connects to. Interface §4.4, §5, contract §6.
 */
export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway =>
  signedGateway(options, createNodeRequests(options))
