import { parseNetworks } from '@plazo/adapters/internal/http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientOf, minuteLimit } from './rate-limits.ts'

const MINUTE = 60_000

const openLimit = (max: number) => {
  const clock = { now: 5_000 }
  const limit = minuteLimit(max, () => clock.now)
  /** Counts the key if it fits, and returns how long it would have to wait. */
  const ask = (key = 'a'): number => {
    const wait = limit.secondsUntilFree(key)
    if (wait === 0) limit.count(key)
    return wait
  }
  return { clock, limit, ask }
}

it('a limit admits all that fit, at most twice as many in any minute, and after the reported seconds', () => {
  const asking = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), pause: fc.nat(30_000) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), asking, (max, times) => {
      const { clock, limit, ask } = openLimit(max)
      const passed: { readonly key: string; readonly at: number }[] = []
      return times.every(({ key, pause }) => {
        clock.now += pause
        const { now } = clock
        const lately = passed.filter((each) => each.key === key && each.at > now - MINUTE).length
        const wait = ask(key)
        if (wait === 0) passed.push({ key, at: now })
        clock.now += wait * 1000
        const isFree = limit.secondsUntilFree(key) === 0 || wait === 0
        clock.now = now
        return isFree && wait <= 60 && (wait === 0 ? lately < 2 * max : lately >= max)
      })
    }),
  )
})

it('a limit stores a limited number of keys, and drops the oldest first', () => {
  const { limit, ask } = openLimit(1)
  for (let n = 0; n < 10_001; n++) ask(`key ${n}`)
  expect([0, 1, 10_000].map((n) => limit.secondsUntilFree(`key ${n}`))).toEqual([0, 60, 60])
})

const networksOf = (setting: string) =>
  parseNetworks(setting) ?? expect.fail(`no networks: ${setting}`)
const NONE = networksOf('')
const PROXIES = networksOf('10.0.0.0/8, 192.0.2.7,fd00::/8')

describe('the client’s address', () => {
  it.each<
    [what: string, remote: string | undefined, forwarded: string | undefined, client: string]
  >([
    ['of a socket alone', '203.0.113.9', undefined, '203.0.113.9'],
    ['of a proxy that nobody trusts', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['named by a proxy behind another', '10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    [
      'made up by the client, before what the proxy says',
      '10.1.2.3',
      '127.0.0.1, 10.0.0.1, 198.51.100.1',
      '198.51.100.1',
    ],
    ['of a proxy that is one address', '192.0.2.7', '198.51.100.1', '198.51.100.1'],
    ['that is trusted all along', '10.1.2.3', '10.4.5.6', '10.4.5.6'],
    [
      'that cannot be read, before one that can',
      '10.1.2.3',
      '198.51.100.1, _hidden, 10.4.4.4',
      '10.4.4.4',
    ],
    ['with a port', '10.1.2.3', '198.51.100.1:5000', '198.51.100.1'],
    ['of IPv6 with a port', '10.1.2.3', '[2001:db8::1]:5000', '2001:db8:0:0::/64'],
    ['mapped into IPv6', '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['of a socket that is gone', undefined, '198.51.100.1', 'unknown'],
    ['with a zone', 'fe80::1%eth0', undefined, 'unknown'],
  ])('%s', (_, remote, forwarded, client) => {
    expect(clientOf(remote, forwarded, PROXIES)).toBe(client)
  })

  it('is the socket’s if no proxy is trusted', () => {
    expect(clientOf('10.1.2.3', '198.51.100.1', NONE)).toBe('10.1.2.3')
  })

  it('is the same for a whole /64 of IPv6, in any notation', () => {
    const same = [
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:0DB8:0001:0002:0:0:0:9',
      '2001:db8:1:2:3::',
    ]
    expect(new Set(same.map((address) => clientOf(address, undefined, NONE)))).toEqual(
      new Set(['2001:db8:1:2::/64']),
    )
    expect(clientOf('2001:db8:1:3::1', undefined, NONE)).toBe('2001:db8:1:3::/64')
    expect(clientOf('::1', undefined, NONE)).toBe('0:0:0:0::/64')
  })
})
