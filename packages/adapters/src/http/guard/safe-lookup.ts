// Resolves a host for one connection and passes on only addresses that the guard allows. The connection uses exactly the
// addresses that were checked. So a name whose addresses change in between (DNS rebinding) gains nothing. Contract §6.
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { FailureError, requestFailure, toRequestFailure } from '../client/request-failure.ts'
import type { AddressGuard } from './ssrf-guard.ts'

/** The same shape as `dns.lookup` with `all`. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export const BLOCKED_ADDRESS = requestFailure('blocked_address', 'The host has an address that must not be called.')

/** One blocked address fails the whole name, because plazo does not choose which address a connection uses. */
export const createSafeLookup =
  (lookup: LookupAll, guard: AddressGuard, port: number): LookupFunction =>
  (hostname, { family, hints }, callback) => {
    const refuse = (failure: FailureError) => callback(failure, [])
    const failUnresolved = (why: string) => refuse(new FailureError(requestFailure('dns', why)))
    const lookupOptions = { ...(family === undefined ? {} : { family }), ...(hints === undefined ? {} : { hints }) }
    try {
      lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
        if (error !== null)
          return toRequestFailure(error).error === 'no_socket'
            ? refuse(new FailureError(toRequestFailure(error)))
            : failUnresolved(error.message)
        if (addresses.length === 0) return failUnresolved(`${hostname} has no address`)
        if (!addresses.every(({ address }) => guard.isAllowed(address, port)))
          return refuse(new FailureError(BLOCKED_ADDRESS))
        return callback(null, addresses)
      })
    } catch (thrown) {
      failUnresolved(String(thrown))
    }
  }
