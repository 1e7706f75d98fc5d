import { memoryRecords } from '@plazo/adapters/memory'
import { unwrap } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createFaultDrills } from './fault-drills.ts'
import { DrillPayload } from './protocol.ts'

const HOUR = 3_600_000

const setUp = (domain = { now: 0 }) => {
  const records = memoryRecords()
  const time = { now: 1_000 }
  const open = () =>
    createFaultDrills({
      records,
      clock: { now: () => domain.now },
      timers: { realNow: () => time.now },
    })
  return { records, time, open, drills: open() }
}

const payload = (overrides: object) => {
  const decoded = DrillPayload.decode(overrides)
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(overrides))
  return decoded.right
}

type Drills = ReturnType<typeof createFaultDrills>

const set = (drills: Drills, drill: object, merchantRef = 'demo') =>
  unwrap(drills.set(merchantRef, payload(drill)))

const delivery = (number: number, changes: object = {}) => ({
  ...{ merchantRef: 'demo', orderRef: 'U', event: 'ipn', id: `U:${number}:ipn` },
  ...changes,
})

describe('a fault drill', () => {
  it('touches only the next delivery unless it says more, and is then gone', async () => {
    const { drills } = setUp()
    await set(drills, { fault: 'conflict' })
    expect(drills.isSet('demo')).toBe(true)
    expect(await drills.choose(delivery(1))).toMatchObject({ fault: 'conflict' })
    expect(await drills.choose(delivery(2))).toBeNull()
    expect(await unwrap(drills.list('demo'))).toEqual([])
  })

  it('touches as many as it says, even with two nodes, and labels their attempts', async () => {
    const { drills, open } = setUp()
    await set(drills, { fault: 'gone', count: 3 })
    const other = open()
    await unwrap(other.catchUp)
    const numbers = [1, 2, 3, 4, 5, 6]
    const chosen = await Promise.all(
      numbers.map((number) => (number % 2 === 0 ? drills : other).choose(delivery(number))),
    )
    expect(chosen.filter((each) => each !== null)).toHaveLength(3)
    const faultsOf = await unwrap(drills.attemptFaults('demo'))
    const isLabelled = (number: number) =>
      faultsOf(`U:${number}:ipn`, [{ n: 1, startedAt: 0 }]).size > 0
    expect(numbers.map(isLabelled)).toEqual(chosen.map((each) => each !== null))
  })

  it('touches only the deliveries that it matches', async () => {
    const { drills } = setUp()
    await set(drills, { fault: 'gone', event: 'cancel', order_ref: 'v' })
    expect(await drills.choose(delivery(1))).toBeNull()
    expect(await drills.choose(delivery(1, { event: 'cancel' }))).toBeNull()
    expect(
      await drills.choose(delivery(1, { event: 'cancel', orderRef: 'v', merchantRef: 'other' })),
    ).toBeNull()
    expect(await drills.choose(delivery(1, { event: 'cancel', orderRef: 'v' }))).not.toBeNull()
  })

  it('that fails once touches the same delivery again, which ends it', async () => {
    const { drills } = setUp()
    await set(drills, { fault: 'error_then_ok' })
    expect(await drills.choose(delivery(1))).toMatchObject({ isSecond: false })
    expect(await drills.choose(delivery(2))).toBeNull()
    expect(await drills.choose(delivery(1))).toMatchObject({ isSecond: true })
    expect(await drills.choose(delivery(1))).toBeNull()
    expect(drills.isSet('demo')).toBe(false)
  })

  it('touches a share of the attempts, and the same ones with the same seed', async () => {
    const draw = async (seed: string) => {
      const { drills } = setUp()
      await set(drills, { fault: 'gone', share: 0.3, seed })
      const drawn: boolean[] = []
      for (let number = 0; number < 200; number++)
        drawn.push((await drills.choose(delivery(number))) !== null)
      return drawn
    }
    const drawn = await draw('monday')
    expect(await draw('monday')).toEqual(drawn)
    expect(await draw('tuesday')).not.toEqual(drawn)
    const count = drawn.filter(Boolean).length
    expect(count).toBeGreaterThan(30)
    expect(count).toBeLessThan(90)
  })

  it('labels the attempts that it touched, and no other', async () => {
    const domain = { now: 0 }
    const { drills } = setUp(domain)
    await set(drills, { fault: 'gone', event: 'ipn', count: 2 })
    const attempts = [0, 60_000, 120_000].map((startedAt, index) => ({ n: index + 1, startedAt }))
    domain.now = 60_010
    await drills.choose(delivery(1))
    const faultsOf = await unwrap(drills.attemptFaults('demo'))
    expect([...faultsOf('U:1:ipn', attempts)]).toEqual([[2, 'gone']])
    expect([...faultsOf('U:2:ipn', attempts)]).toEqual([])
    expect([...(await unwrap(drills.attemptFaults('other')))('U:1:ipn', attempts)]).toEqual([])
  })

  it('of a share counts the deliveries that it touched', async () => {
    const { drills } = setUp()
    await set(drills, { fault: 'gone', share: 1 })
    for (const number of [1, 2, 2]) await drills.choose(delivery(number))
    expect(await unwrap(drills.list('demo'))).toMatchObject([{ touched: 2 }])
  })

  it('expires by real time, by default after an hour', async () => {
    const { drills, time } = setUp()
    await set(drills, { fault: 'hang', count: 100 })
    time.now += HOUR - 1
    expect(drills.isSet('demo')).toBe(true)
    time.now += 1
    expect(drills.isSet('demo')).toBe(false)
    expect(await drills.choose(delivery(1))).toBeNull()
    expect(await unwrap(drills.list('demo'))).toEqual([])
  })

  it('is seen by the other nodes, and cleared for them', async () => {
    const { drills, open, time } = setUp()
    const [one] = await set(drills, { fault: 'hang' })
    time.now += 1
    await set(drills, { fault: 'slow' })
    const other = open()
    expect((await unwrap(other.list('demo'))).map(({ fault }) => fault)).toEqual(['hang', 'slow'])
    expect((await unwrap(other.clear('demo', one?.id ?? ''))).map(({ fault }) => fault)).toEqual([
      'slow',
    ])
    await unwrap(other.clear('demo', null))
    await unwrap(drills.catchUp)
    expect(drills.isSet('demo')).toBe(false)
  })

  it.each<readonly [string, (drills: Drills) => Promise<unknown>]>([
    ['it has touched enough', (drills) => drills.choose(delivery(1))],
    ['it is cleared', (drills) => unwrap(drills.clear('demo', null))],
  ])('explains on every node why its merchant is slow, until an hour after %s', async (_, end) => {
    const { drills, open, time } = setUp()
    await set(drills, { fault: 'hang' })
    await end(drills)
    // This node has seen nothing of the drill but what is stored.
    const other = open()
    await unwrap(other.catchUp)
    expect(other.isSet('demo')).toBe(false)
    expect(other.explainsSlowness('demo')).toBe(true)
    expect(other.explainsSlowness('another')).toBe(false)
    time.now += HOUR
    expect(other.explainsSlowness('demo')).toBe(false)
  })

  it('is stored after its end only until the next one has ended', async () => {
    const { records, drills, time } = setUp()
    for (let count = 0; count < 5; count++) {
      time.now += 1
      await set(drills, { fault: 'hang' })
      await unwrap(drills.clear('demo', null))
    }
    expect(await unwrap(records.list({ kind: 'drill_setting' }))).toHaveLength(2)
    expect(drills.explainsSlowness('demo')).toBe(true)
  })

  it('is the merchant’s own: at most twenty at once', async () => {
    const { drills } = setUp()
    for (let count = 0; count < 20; count++) await set(drills, { fault: 'hang' })
    expect(await drills.set('demo', payload({ fault: 'hang' }))()).toMatchObject({
      left: { _tag: 'Refused' },
    })
    expect(await set(drills, { fault: 'hang' }, 'other')).toHaveLength(1)
    expect(await unwrap(drills.clear('other', null))).toEqual([])
    expect(await unwrap(drills.list('demo'))).toHaveLength(20)
  })
})

it('a drill touches a share over 0 and at most 1, chosen by a seed of at most 100 characters', () => {
  const isDrill = (value: object): boolean => DrillPayload.is({ fault: 'delay', ...value })
  for (const share of [0.001, 0.5, 1]) expect(isDrill({ share })).toBe(true)
  for (const share of [0, -0.5, 1.001, '0.5', Number.NaN]) expect(isDrill({ share })).toBe(false)
  expect(isDrill({ seed: 's'.repeat(100) })).toBe(true)
  expect(isDrill({ seed: 's'.repeat(101) })).toBe(false)
})
