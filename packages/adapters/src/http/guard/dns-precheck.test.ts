import { describe, expect, it } from 'vitest'
import { systemTimers } from '../../system/clock-and-ids.ts'
import { createDnsPrecheck } from './dns-precheck.ts'
import type { LookupAll } from './ssrf-guard.ts'
import { addressGuard } from './ssrf-guard.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'shop.test': ['93.184.216.34', '2606:2800:220:1::1'],
  'inner.test': ['10.0.0.1'],
  'half.test': ['93.184.216.34', '127.0.0.1'],
}
const BLOCKED = 'The URL leads to an address that must not be called.'

const openPrecheck = (names = NAMES) => {
  const lookups: string[] = []
  const waits: (() => void)[] = []
  const hanging: (() => void)[] = []
  let now = 0
  const lookup: LookupAll = (name, _, callback) => {
    lookups.push(name)
    if (name.endsWith('hangs.test')) {
      hanging.push(() => callback(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }), []))
      return
    }
    const addresses = (names[name] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
    callback(
      addresses.length === 0 ? Object.assign(new Error('no name'), { code: 'ENOTFOUND' }) : null,
      addresses,
    )
  }
  const guard = addressGuard({ allow: [{ cidr: '10.0.0.0/8', port: 8443 }] })
  const hosts = createDnsPrecheck(guard, lookup, {
    monotonicNow: () => now,
    after: (_, call) => {
      waits.push(call)
      return systemTimers.after(0, () => {})
    },
  })
  const pass = (millis: number): void => {
    now += millis
  }
  const checkAfterLookup = async (url: string): Promise<string | null> => {
    await hosts.resolveHosts('demo', [url])
    return hosts.checkUrl(url)
  }
  return { ...hosts, checkAfterLookup, lookups, pass, waits, hanging }
}

describe('a resolved name', () => {
  it('is rejected if any of its addresses is blocked', async () => {
    const { checkAfterLookup } = openPrecheck()
    expect(await checkAfterLookup('https://shop.test/ipn')).toBeNull()
    expect(await checkAfterLookup('https://inner.test/ipn')).toBe(BLOCKED)
    expect(await checkAfterLookup('https://half.test/ipn')).toBe(BLOCKED)
    expect(await checkAfterLookup('https://inner.test:8443/ipn')).toBeNull()
  })

  it('is accepted if it cannot be resolved, or not in time', async () => {
    const { checkAfterLookup, resolveHosts, checkUrl, waits } = openPrecheck()
    expect(await checkAfterLookup('https://nowhere.test/')).toBeNull()
    const looked = resolveHosts('demo', ['https://hangs.test/'])
    waits.at(-1)?.()
    await looked
    expect(checkUrl('https://hangs.test/')).toBeNull()
  })

  it('is looked up again after a minute', async () => {
    const { checkAfterLookup, lookups, pass } = openPrecheck()
    for (const millis of [0, 59_999, 2]) {
      pass(millis)
      await checkAfterLookup('https://inner.test/ipn')
    }
    expect(lookups).toEqual(['inner.test', 'inner.test'])
  })
})

describe('names whose lookup hangs', () => {
  const urls = Array.from({ length: 9 }, (_, n) => `https://${n}.hangs.test/`)

  it('occupy at most four lookups of one merchant, even after the request was given up, and none of another’s', async () => {
    const { resolveHosts, lookups, waits, checkUrl } = openPrecheck()
    const looked = resolveHosts('demo', urls)
    expect(lookups).toHaveLength(4)
    for (const lose of waits) lose()
    await looked
    const late = resolveHosts('demo', ['https://inner.test/'])
    expect(lookups).toHaveLength(4)
    await resolveHosts('other', ['https://shop.test/'])
    expect(lookups).toHaveLength(5)
    waits.at(-2)?.()
    await late
    expect(checkUrl('https://inner.test/')).toBeNull()
  })

  it('leave their slot to the next lookup that is still awaited', async () => {
    const { resolveHosts, lookups, waits, hanging, checkUrl } = openPrecheck()
    const looked = resolveHosts('demo', [...urls.slice(0, 6), 'https://inner.test/'])
    waits[4]?.()
    for (const answer of hanging.splice(0)) answer()
    for (const answer of hanging.splice(0)) answer()
    await looked
    expect(lookups.map((name) => name.replace('.hangs.test', ''))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '5',
      'inner.test',
    ])
    expect(checkUrl('https://inner.test/')).toBe(BLOCKED)
  })

  it('are looked up once, even if many orders contain them', async () => {
    const { resolveHosts, lookups, hanging } = openPrecheck()
    const looked = Promise.all(urls.map(() => resolveHosts('demo', urls.slice(0, 1))))
    hanging[0]?.()
    await looked
    expect(lookups).toEqual(['0.hangs.test'])
  })
})

it('are not looked up if the URL is rejected anyway', async () => {
  const { checkAfterLookup, lookups } = openPrecheck()
  for (const url of [
    'http://shop.test/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'no URL',
  ])
    expect(await checkAfterLookup(url)).toEqual(expect.any(String))
  expect(lookups).toEqual([])
})
