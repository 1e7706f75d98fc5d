// Preloaded into a program with `--import`: resolves a host name of the shop's private network as that network would.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

const own = dns.lookup as unknown as (name: string, ...more: unknown[]) => void
const lookup = (name: string, ...more: unknown[]): void => own(name === 'inner.shop.test' ? '10.0.0.1' : name, ...more)

Object.assign(dns, { lookup })
syncBuiltinESMExports()
