import { parseNetworks } from '@plazo/adapters/http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientOf, minuteLimit } from './rate-limits.ts'

const MINUTE = 60_000

const openLimit = (max: number, instantsMax = 100_000) => {
  const clock = { now: 5_000 }
  const limit = minuteLimit({ max, now: () => clock.now, instantsMax })
  /** Counts the key if it fits, and returns how long it would have to wait. */
  const ask = (key = 'a'): number => {
    const wait = limit.secondsUntilFree(key)
    if (wait === 0) limit.count(key)
    return wait
  }
  return { clock, limit, ask }
}

describe('a limit per minute', () => {
  it('never admits more of a key in any minute, and delays none that would fit, however many were refused', () => {
    const asking = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), pause: fc.nat(30_000) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), asking, (max, times) => {
        const { clock, ask } = openLimit(max)
        const passed: { readonly key: string; readonly at: number }[] = []
        return times.every(({ key, pause }) => {
          clock.now += pause
          const lately = passed.filter(
            (each) => each.key === key && each.at > clock.now - MINUTE,
          ).length
          const fits = ask(key) === 0
          if (fits) passed.push({ key, at: clock.now })
          return fits === lately < max
        })
      }),
    )
  })

  it('requires a wait of exactly the reported seconds', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 20 }), (pauses) => {
        const { clock, limit, ask } = openLimit(2)
        for (const pause of pauses) {
          clock.now += pause
          ask()
        }
        const wait = limit.secondsUntilFree('a')
        const advance = (seconds: number): number => {
          const before = clock.now
          clock.now += seconds * 1000
          const then = limit.secondsUntilFree('a')
          clock.now = before
          return then
        }
        return wait === 0 || (wait <= 60 && advance(wait - 1) > 0 && advance(wait) === 0)
      }),
    )
  })

  it('stores a limited number of keys, and drops the oldest first', () => {
    const { limit, ask } = openLimit(2, 2_100)
    for (let n = 0; n < 10_000; n++) ask(`key ${n}`)
    expect(limit.size()).toBe(100)
    ask('key 9999')
    expect(limit.secondsUntilFree('key 9999')).toBeGreaterThan(0)
  })

  it('drops keys after a minute without being called', () => {
    const { clock, limit, ask } = openLimit(2)
    for (let n = 0; n < 500; n++) ask(`key ${n}`)
    clock.now += MINUTE
    ask('another')
    expect(limit.size()).toBe(1)
  })
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
    ['named by a trusted proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['named by a proxy behind another', '10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    [
      'made up by the client, before what the proxy says',
      '10.1.2.3',
      '127.0.0.1, 10.0.0.1, 198.51.100.1',
      '198.51.100.1',
    ],
    ['of a proxy that is one address', '192.0.2.7', '198.51.100.1', '198.51.100.1'],
    ['of its neighbour', '192.0.2.8', '198.51.100.1', '192.0.2.8'],
    ['that is trusted all along', '10.1.2.3', '10.4.5.6', '10.4.5.6'],
    ['that cannot be read', '10.1.2.3', 'unknown', '10.1.2.3'],
    [
      'that cannot be read, before one that can',
      '10.1.2.3',
      '198.51.100.1, _hidden, 10.4.4.4',
      '10.4.4.4',
    ],
    ['that is empty', '10.1.2.3', '', '10.1.2.3'],
    ['with a port', '10.1.2.3', '198.51.100.1:5000', '198.51.100.1'],
    ['of IPv6 with a port', '10.1.2.3', '[2001:db8::1]:5000', '2001:db8:0:0::/64'],
    ['mapped into IPv6', '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['of a proxy mapped into IPv6', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
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

it.each([
  ...[
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0',
    'proxy.example',
    '10.0.0.0/8;fd00::/8',
    '10.0.0.0/8,,',
    '::1%lo',
  ],
  ...['10.0.0.0/-1'],
])('TRUSTED_PROXIES rejects a list that does not contain networks: %s', (setting) => {
  expect(parseNetworks(setting)).toBeUndefined()
})
