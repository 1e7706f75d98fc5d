import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../delivery/attempt.ts'
import type { Delivery, DeliveryFilter } from '../../ports/deliveries.ts'
import type { FullStore } from '../../ports/store.ts'
import { deliveryView, listDeliveries, PAGE_BYTES_MAX } from './deliveries.ts'

const aDelivery = (n: number, attempts: readonly Attempt[]): Delivery => ({
  id: `${n}`,
  event: 'ipn',
  orderRef: 'x',
  merchantRef: 'shop',
  state: 'delivered',
  dueAt: null,
  attempts,
})

/** A store with `count` deliveries that records the filters it is called with. */
const storeWith = (count: number, attempts: readonly Attempt[]) => {
  const all = Array.from({ length: count }, (_, n) => aDelivery(n + 1, attempts))
  const filters: DeliveryFilter[] = []
  const deliveries: Pick<FullStore['deliveries'], 'list'> = {
    list: (filter) => {
      filters.push(filter)
      const older =
        filter.before === null ? all : all.filter(({ id }) => Number(id) < Number(filter.before))
      return TE.right(older.slice(-filter.limit))
    },
  }
  return { deliveries: deliveries as FullStore['deliveries'], filters }
}

const ANY: DeliveryFilter = {
  merchantRef: 'demo',
  orderRef: null,
  state: null,
  before: null,
  limit: 1000,
}

const attemptWith = (n: number, response: string): Attempt => ({
  n,
  trigger: 'schedule',
  startedAt: 0,
  outcome: 'error',
  durationMillis: 1,
  status: 500,
  error: null,
  response,
})

/** Deliveries with the numbers 1 to `count`, each with one attempt that was answered so. */
const listAnswered = async (count: number, response: string, limit = 1000) => {
  const { deliveries, filters } = storeWith(count, [attemptWith(1, response)])
  const page = await listDeliveries({ deliveries })({ ...ANY, limit })()
  if (E.isLeft(page)) throw new Error(page.left._tag)
  return { ...page.right, filters }
}

describe('a page of deliveries', () => {
  it.each([
    [3, 3],
    [100, 100],
    [101, 100],
    [Number.POSITIVE_INFINITY, 100],
  ])('of up to %d has %d, and asks the store for no more', async (limit, count) => {
    const { deliveries, next, filters } = await listAnswered(150, 'no', limit)
    expect(deliveries).toHaveLength(count)
    expect(deliveries.at(-1)?.id).toBe('150')
    expect(next).toBe(deliveries[0]?.id)
    expect(filters).toMatchObject([{ limit: count + 1, responses: 1 }])
  })

  it('has at most 4 KiB of an answer, in whole characters', async () => {
    const { deliveries } = await listAnswered(1, `${'x'.repeat(4095)}ñandú`)
    expect(deliveries[0]?.attempts[0]?.response).toBe('x'.repeat(4095))
  })

  it('never exceeds its limit of bytes as sent, after escaping', async () => {
    const { deliveries, next } = await listAnswered(100, '\u0001'.repeat(16_384))
    const sent = Buffer.byteLength(JSON.stringify(deliveries.map(deliveryView)))
    expect(deliveries.length).toBeLessThan(100)
    expect(sent).toBeLessThanOrEqual(PAGE_BYTES_MAX)
    expect(sent).toBeGreaterThan(PAGE_BYTES_MAX - 6 * 4096 - 500)
    expect(next).toBe(deliveries[0]?.id)
  })

  it('has at least one delivery, however large', async () => {
    const attempts = Array.from({ length: 20_000 }, (_, n) => attemptWith(n, 'no'))
    const { deliveries } = storeWith(2, attempts)
    const page = await listDeliveries({ deliveries })(ANY)()
    expect(page).toMatchObject({ right: { deliveries: [{ id: '2' }], next: '2' } })
  })
})
