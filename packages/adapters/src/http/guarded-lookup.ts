// Resolves a host for one connection and lets through only what the guard allows: the addresses judged are the very
// ones connected to, so that a name which changes its mind in between (rebinding) gains nothing. Contract §6.
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import { FailureError, failureOf, requestFailure } from './request-failure.ts'

/** As `dns.lookup` with `all`. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export const BLOCKED = requestFailure('blocked_address', 'The host has an address that must not be called.')

/** Any blocked address fails the whole name: which one a connection takes is not ours to say. */
export const guardedLookup =
  (lookup: LookupAll, guard: AddressGuard, port: number): LookupFunction =>
  (hostname, { family, hints }, callback) => {
    const refuse = (failure: FailureError) => callback(failure, [])
    const unresolved = (why: string) => refuse(new FailureError(requestFailure('dns', why)))
    const wanted = { ...(family === undefined ? {} : { family }), ...(hints === undefined ? {} : { hints }) }
    try {
      lookup(hostname, { ...wanted, all: true }, (error, addresses) => {
        if (error !== null)
          return failureOf(error).error === 'no_socket'
            ? refuse(new FailureError(failureOf(error)))
            : unresolved(error.message)
        if (addresses.length === 0) return unresolved(`${hostname} has no address`)
        if (!addresses.every(({ address }) => guard.isAllowed(address, port))) return refuse(new FailureError(BLOCKED))
        return callback(null, addresses)
      })
    } catch (thrown) {
      unresolved(String(thrown))
    }
  }
