import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { Delivery, DeliveryFilter } from '../../ports/deliveries.ts'
import type { FullStore } from '../../ports/store.ts'
import {
  listDeliveries,
  listEncodedDeliveries,
  PAGE_BYTES_MAX,
  SLICE_ANSWER_BYTES,
  SLICE_DELIVERIES,
} from './deliveries.ts'

const aDelivery = (n: number): Delivery => ({
  id: `${n}`,
  event: 'ipn',
  orderRef: 'x',
  state: 'delivered',
  dueAt: null,
  attempts: [],
})

/** A store with `count` deliveries that records the filters it is called with. */
const storeWith = (count: number) => {
  const all = Array.from({ length: count }, (_, n) => aDelivery(n + 1))
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

const readPages = async (count: number, bytes: number, filter: Partial<DeliveryFilter> = {}) => {
  const { deliveries, filters } = storeWith(count)
  let pauses = 0
  let shows = 0
  const page = await listEncodedDeliveries({
    deliveries,
    encode: (delivery) => async () => {
      shows += 1
      return { encoded: delivery.id, bytes }
    },
    pause: async () => {
      pauses += 1
    },
  })({ ...ANY, ...filter })()
  if (E.isLeft(page)) throw new Error(page.left._tag)
  return { ...page.right, filters, pauses, shows }
}

describe('a page of deliveries', () => {
  it('is read in slices limited by rows and by bytes of responses, with a pause after each', async () => {
    const { deliveries, filters, pauses } = await readPages(100, 200)
    expect(deliveries).toHaveLength(100)
    expect(
      filters.every(
        ({ limit, answerBytes }) => limit <= SLICE_DELIVERIES && answerBytes === SLICE_ANSWER_BYTES,
      ),
    ).toBe(true)
    expect(pauses).toBe(filters.length - 1)
  })

  it('never exceeds its limit of bytes, including brackets and commas', async () => {
    const fitting = (PAGE_BYTES_MAX - 2) / 10 - 1
    const { deliveries, next } = await readPages(30, Math.floor(fitting))
    expect(deliveries).toHaveLength(10)
    expect(next).toBe(deliveries[0])
  })

  it('has at least one delivery, however large, and otherwise only those that fit', async () => {
    expect(await readPages(3, 6 * PAGE_BYTES_MAX)).toMatchObject({
      deliveries: ['3'],
      next: '3',
      shows: 1,
    })
  })

  it('counts the bytes of a delivery as sent, after escaping', async () => {
    const attempt = {
      n: 1,
      trigger: 'schedule',
      startedAt: 0,
      outcome: 'error',
      durationMillis: 1,
      status: 500,
    } as const
    const loud: Delivery = {
      ...aDelivery(1),
      attempts: Array.from({ length: 50 }, () => ({
        ...attempt,
        error: null,
        response: '\u0001'.repeat(16_384),
      })),
    }
    const store = {
      deliveries: {
        list: () => TE.right([loud, { ...loud, id: '2' }]),
      } as unknown as FullStore['deliveries'],
    }
    const page = await listDeliveries(store)({ ...ANY, limit: 2 })()
    expect(E.isRight(page) && page.right.deliveries.map(({ id }) => id)).toEqual(['2'])
  })
})
