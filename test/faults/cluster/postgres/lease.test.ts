// Two nodes on one database, whose timers are moved by hand: a node whose timers stand still is frozen.
// The time of the lease itself is the database's, so tests end it in its row.

import { type Keyring, newKeyring } from '@plazo/adapters/internal/encryption'
import { openShop, type StoreShop, unwrap } from '@plazo/core/internal/testing'
import type { Job } from '@plazo/core/ports'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { queryPostgres } from '../../../harness/postgres.ts'
import {
  KEYRING,
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../../harness/postgres-storage.ts'
import { handTimers, waitUntil } from '../../../harness/time.ts'
import { pausableProxy } from './pausable-proxy.ts'

type Node = PostgresTestStorage & {
  readonly shop: StoreShop
  readonly move: (millis: number) => void
}

const openNode = async (url?: string, keyring: Keyring = KEYRING): Promise<Node> => {
  const { timers, move } = handTimers()
  const storage = await openPostgresTestStorage({ timers, keyring, ...(url && { url }) })
  return { ...storage, shop: openShop(storage.store), move }
}

const EVERYTHING = {
  at: Number.MAX_SAFE_INTEGER,
  capacity: { deliveries: 9, notGood: 9, internal: 9 },
  perAccount: null,
}

let [home, other]: readonly [Node, Node] = [] as never

beforeEach(async () => {
  home = await openNode()
  other = await openNode(home.url)
})
afterEach(async () => {
  await other.close()
  await home.close()
})

const lanesOf = async (shop: StoreShop): Promise<readonly string[]> =>
  (await shop.claim()).map(({ lane }) => lane).sort()

/** The node asks once a second, and claims once it has the lease and finds jobs. */
const claimAtLast = async ({ move, shop }: Node): Promise<readonly string[]> => {
  let lanes: readonly string[] = []
  await waitUntil(async () => {
    move(1_000)
    lanes = await lanesOf(shop)
    return lanes.length > 0
  })
  return lanes
}

const change = (set: string): Promise<unknown> =>
  queryPostgres(home.url, `update plazo.lease set ${set}`)

/** The node dispatches, with a session that the others can see. */
const dispatch = async ({ move, shop, url }: Node): Promise<void> => {
  expect(await shop.claim()).toEqual([])
  await waitUntil(async () => {
    move(1_000)
    const [row] = await queryPostgres(url, 'select pid from plazo.lease')
    return row?.pid !== null
  })
}

describe('of two nodes', () => {
  it('one starts jobs, and both say which', async () => {
    await dispatch(home)
    await home.shop.placeAndSubmit()
    expect(await lanesOf(other.shop)).toEqual([])
    expect(await lanesOf(home.shop)).toEqual(['action', 'sms'])
    const here = await home.lease()
    expect(here).toMatchObject({ isHere: true, holder: expect.stringContaining(`${process.pid}`) })
    expect(await other.lease()).toEqual({ ...here, isHere: false })
    expect([home.takeovers?.(), other.takeovers?.()]).toEqual([0, 0])
  })

  it('the one that starts jobs is told what the other has made due', async () => {
    await dispatch(home)
    await other.shop.placeAndSubmit()
    await waitUntil(async () => (await lanesOf(home.shop)).length > 0)
  })
})

it('a node that is not told looks by itself what the other has made due', async () => {
  const proxy = await pausableProxy(home.url, (bytes) => bytes.includes('pg_notify'))
  const [deaf, mute] = [await openNode(proxy.url), await openNode(proxy.url)]
  expect(await deaf.shop.claim()).toEqual([])
  await mute.shop.placeAndSubmit()
  deaf.move(250)
  await waitUntil(async () => (await lanesOf(deaf.shop)).length > 0)
  for (const node of [deaf, mute]) await node.close()
  await proxy.close()
})

describe('a node that has ended without a word', () => {
  it('is followed at once by the other, which starts all that is due', async () => {
    await dispatch(home)
    await home.shop.placeAndSubmit()
    expect(await lanesOf(other.shop)).toEqual([])
    await queryPostgres(home.url, 'select pg_terminate_backend(pid, 10000) from plazo.lease')
    expect(await claimAtLast(other)).toEqual(['action', 'sms'])
    expect(other.takeovers?.()).toBe(1)
    expect(await lanesOf(home.shop)).toEqual([])
  })
})

describe('nodes that have died one after another', () => {
  it('are followed by one that starts jobs one by one, and none of which three of them have died', async () => {
    await dispatch(home)
    for (let orders = 0; orders < 2; orders++) await home.shop.placeAndSubmit()
    await change('deaths = 3, until = 0')
    let jobs: readonly Job[] = []
    await waitUntil(async () => {
      other.move(1_000)
      jobs = await other.shop.claim()
      return jobs.length > 0
    })
    expect(await other.shop.claim()).toEqual([])
    await unwrap(other.store.release(jobs, 'not_started'))
    await change("suspected_by = 'another', suspect_deaths = 2")
    expect(await other.shop.claim()).toEqual([])
    expect(await unwrap(other.store.stuckJobs())).toMatchObject(jobs.map(({ key }) => ({ key })))
    expect(await lanesOf(other.shop)).toEqual(['sms'])
  })

  it('are followed by one that is not held up by a revoked job that a frozen one may run', async () => {
    await dispatch(home)
    const orderRef = await home.shop.placeAndSubmit()
    await change('deaths = 3, until = 0')
    await other.shop.enterCode(orderRef)
    expect(await lanesOf(other.shop)).toEqual(['screening'])
  })
})

it('a node gives way to one that has the key of a due job', async () => {
  const next = await openNode(home.url, [...newKeyring(), ...KEYRING])
  await dispatch(home)
  await next.shop.placeAndSubmit()
  await waitUntil(async () => {
    const claimed = await home.store.claim(() => EVERYTHING)()
    return claimed._tag === 'Left' && claimed.left.code === 'key_missing'
  })
  expect(home.store.startsJobs?.()).toBe(false)
  expect(await claimAtLast(next)).toEqual(['action', 'sms'])
  await next.close()
})

describe('a node that is frozen', () => {
  it.each([
    ['is over', 'until = 0'],
    ['is from another clock', 'until = until + 100000'],
  ])(
    'loses the lease when its time %s, but deliveries that were due wait for it',
    async (_, set) => {
      await dispatch(home)
      await home.shop.placeAndSubmit()
      expect(await lanesOf(other.shop)).toEqual([])
      await change(set)
      expect(await claimAtLast(other)).toEqual(['sms'])
      for (const { shop } of [home, other]) shop.advance(3_000)
      await home.shop.placeAndSubmit()
      expect(await claimAtLast(other)).toEqual(['action', 'sms'])
      await change('former_until = 0')
      expect(await claimAtLast(other)).toEqual(['action'])
    },
  )

  it('starts nothing when it goes on, by either clock', async () => {
    await dispatch(home)
    await home.shop.placeAndSubmit()
    await change('until = 0')
    await other.shop.claim()
    home.move(4_000)
    expect(await lanesOf(home.shop)).toEqual([])
  })
})

describe('a node that hands over', () => {
  it('tells the other, which asks at once', async () => {
    await dispatch(home)
    expect(await lanesOf(other.shop)).toEqual([])
    await home.shop.placeAndSubmit()
    await home.store.handOver?.()
    await waitUntil(async () => (await lanesOf(other.shop)).length > 0)
  })

  it('keeps what it has in flight, and its result counts', async () => {
    await dispatch(home)
    const orderRef = await home.shop.placeAndSubmit()
    const [action] = await home.shop.claimDeliveries()
    if (action === undefined) throw new Error('No event is due.')
    await home.store.handOver?.()
    expect(await lanesOf(other.shop)).toEqual(['sms'])
    expect(other.takeovers?.()).toBe(0)
    expect(await home.shop.completeClaim(action, null)).toBe('delivered')
    expect(await lanesOf(other.shop)).toEqual([])
    expect(await other.shop.read(orderRef)).toBeDefined()
  })

  it.each<[string, (job: Job) => Promise<unknown>]>([
    ['when it is over', (job) => unwrap(home.store.release([job], 'not_started'))],
    ['when its time is over', () => change('left_until = 0')],
  ])('leaves the rest to the other %s', async (_, end) => {
    await dispatch(home)
    await home.shop.placeAndSubmit()
    const [action] = await home.shop.claimDeliveries()
    if (action === undefined) throw new Error('No event is due.')
    await home.store.handOver?.()
    expect(await lanesOf(other.shop)).toEqual(['sms'])
    await end(action)
    home.move(1_000)
    expect(await claimAtLast(other)).toEqual(['action'])
  })
})
