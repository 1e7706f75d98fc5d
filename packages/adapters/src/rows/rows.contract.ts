// @plazo/adapters/rows/contracts: a suite for the row functions of your database. It finds a
// mistake of a few lines faster than the store contract, which a store over the rows must keep too.
//
// ```ts
// import { memoryRows } from '@plazo/adapters/memory' // yours
// import { rowsContract } from '@plazo/adapters/rows/contracts'
// import { runner } from '@plazo/core/testing/vitest' // or /node
//
// rowsContract(runner, 'my rows', async () => ({ rows: memoryRows(), close: async () => {} }))
// ```
import type { Order } from '@plazo/core'
import type { FullStore } from '@plazo/core/ports'
import { aMerchant, citeSection, openShop, type Runner } from '@plazo/core/testing/contracts'
import type { JobRow, OrderRow, Rows } from './rows.ts'

/** Each test gets empty rows. */
export type OpenedRows = { readonly rows: Rows; readonly close: () => Promise<void> }

// Only decides steps; its store is never called.
const shop = openShop({} as FullStore)

/** A confirmed order, which holds its reference. */
const anOrder = (reference: string, merchantRef = 'demo'): OrderRow => {
  const { order, journal } = shop.preparePlacing(aMerchant(merchantRef), reference)
  const state = { ...order.state, checkout: 'confirmed' } as const
  const { orderRef } = order.placed
  const row = { order: { ...order, state }, payload: '{"order":{}}', journal }
  return { orderRef, merchantRef, reference: reference === '' ? null : reference, ...row }
}

const orderRefOf = ({ orderRef }: OrderRow): string => orderRef

const aJob = ({ placed }: Order, changes: Partial<JobRow> = {}): Omit<JobRow, 'id'> => ({
  effect: {
    type: 'do',
    key: `${placed.orderRef}:1:sms`,
    lane: 'sms',
    payload: { kind: 'sms', to: '600123456', text: 'Your code is "1".', code: '1' },
    dueAt: 1,
    expiresAt: null,
    excludes: null,
  },
  orderRef: placed.orderRef,
  merchantRef: placed.merchant.ref,
  account: placed.merchant.account,
  state: 'pending',
  isResend: false,
  createdAt: 1,
  dueAt: 1,
  attempts: 0,
  firstAt: null,
  token: null,
  leaseUntil: 0,
  isRevoked: false,
  message: null,
  ...changes,
})

/** The contract of `Rows`. */
export const rowsContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedRows>,
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(
    runner,
    'docs/hosts/own-database.md',
  )
  describe(`${name} keep the contract of rows`, () => {
    let opened: OpenedRows
    let rows: Rows
    beforeEach(async () => {
      opened = await open()
      rows = opened.rows
    })
    afterEach(() => opened.close())

    const write = (run: () => void): void => rows.transaction(run)
    const read = <A>(run: () => A): A => rows.transaction(run)

    it('find an order by its uuid, and no other', () => {
      const [first, second] = [anOrder('A-1'), anOrder('A-2')]
      write(() => {
        rows.putOrder(first)
        rows.putOrder(second)
      })
      expect(read(() => rows.order(orderRefOf(first)))).toEqual(first)
      expect(read(() => rows.order(orderRefOf(second)))).toEqual(second)
      expect(read(() => rows.order('00000000-0000-4000-8000-ffffffffffff'))).toBe(undefined)
    })

    it('replace an order that is put again', () => {
      const placed = anOrder('A-1')
      const changed = { ...placed, payload: '{"new":"✓"}', journal: [] }
      write(() => rows.putOrder(placed))
      write(() => rows.putOrder(changed))
      expect(read(() => rows.order(orderRefOf(placed)))).toEqual(changed)
    })

    it('find the order that holds a reference of its merchant', () => {
      const [held, elsewhere, none] = [anOrder('A-1'), anOrder('A-1', 'other'), anOrder('')]
      write(() => {
        for (const row of [none, elsewhere, held]) rows.putOrder(row)
      })
      expect(read(() => rows.orderHolding('demo', 'A-1'))).toBe(held.orderRef)
      expect(read(() => rows.orderHolding('other', 'A-1'))).toBe(elsewhere.orderRef)
      expect(read(() => rows.orderHolding('demo', 'A-2'))).toBe(undefined)
    })

    it('find no order by a reference that it holds no longer', () => {
      const placed = anOrder('A-1')
      write(() => rows.putOrder(placed))
      write(() => rows.putOrder({ ...placed, reference: null }))
      expect(read(() => rows.orderHolding('demo', 'A-1'))).toBe(undefined)
    })

    it('number jobs in the order in which they are added, and list them by number', () => {
      const [first, second] = [anOrder('A-1'), anOrder('A-2')]
      write(() => {
        for (const { order } of [first, second, first]) rows.addJob(aJob(order))
      })
      const all = read(() => rows.jobs())
      const ids = all.map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(new Set(ids).size).toBe(3)
      expect(all.map(({ orderRef }) => orderRef)).toEqual([first, second, first].map(orderRefOf))
      expect(read(() => rows.jobs(orderRefOf(first)))).toEqual([all[0], all[2]])
      expect(read(() => rows.jobs('00000000-0000-4000-8000-ffffffffffff'))).toEqual([])
    })

    it('replace only the job that is put, and keep its place', () => {
      const { order } = anOrder('A-1')
      write(() => {
        for (const dueAt of [1, 2, 3]) rows.addJob(aJob(order, { dueAt }))
      })
      const [first, second, third] = read(() => rows.jobs()) as [JobRow, JobRow, JobRow]
      const claimed: JobRow = {
        ...second,
        state: 'claimed',
        attempts: 1,
        firstAt: 5,
        token: 'a token',
        leaseUntil: 9,
        isRevoked: true,
        message: 'a message',
      }
      write(() => rows.putJob(claimed))
      expect(read(() => rows.jobs())).toEqual([first, claimed, third])
    })

    it('drop only the job that is named, and give its number to no other', () => {
      const { order } = anOrder('A-1')
      write(() => {
        for (const dueAt of [1, 2]) rows.addJob(aJob(order, { dueAt }))
      })
      const [first, second] = read(() => rows.jobs()) as [JobRow, JobRow]
      write(() => rows.dropJob(second, 'delivered'))
      write(() => rows.addJob(aJob(order, { dueAt: 3 })))
      const [kept, added] = read(() => rows.jobs())
      expect(kept).toEqual(first)
      expect(added?.dueAt).toBe(3)
      expect(added?.id).toBeGreaterThan(second.id)
    })

    it('keep what was noted last of a merchant and kind, if they keep it', () => {
      const { isGood, noteGood } = rows
      if (isGood === undefined || noteGood === undefined) {
        expect([isGood, noteGood]).toEqual([undefined, undefined])
        return
      }
      expect(read(() => isGood('demo', 'ipn'))).toBe(false)
      write(() => noteGood('demo', 'ipn', true))
      expect(read(() => isGood('demo', 'ipn'))).toBe(true)
      expect(read(() => isGood('demo', 'event'))).toBe(false)
      expect(read(() => isGood('other', 'ipn'))).toBe(false)
      write(() => noteGood('demo', 'ipn', false))
      expect(read(() => isGood('demo', 'ipn'))).toBe(false)
    })

    it('show a transaction what it has written, and return its result', () => {
      const placed = anOrder('A-1')
      const found = rows.transaction(() => {
        rows.putOrder(placed)
        rows.addJob(aJob(placed.order))
        return [rows.order(orderRefOf(placed)), rows.jobs().length]
      })
      expect(found).toEqual([placed, 1])
    })

    it('keep nothing of a transaction that throws, and throw its error', () => {
      const placed = anOrder('A-1')
      write(() => {
        rows.putOrder(placed)
        rows.addJob(aJob(placed.order))
      })
      const [job] = read(() => rows.jobs()) as [JobRow]
      expect(() =>
        write(() => {
          rows.putOrder({ ...placed, payload: 'changed' })
          rows.putOrder(anOrder('A-2'))
          rows.addJob(aJob(placed.order))
          rows.putJob({ ...job, state: 'stuck' })
          rows.dropJob(job, 'delivered')
          throw new Error('The disk is full.')
        }),
      ).toThrow('The disk is full.')
      expect(read(() => rows.order(orderRefOf(placed)))).toEqual(placed)
      expect(read(() => rows.orderHolding('demo', 'A-2'))).toBe(undefined)
      expect(read(() => rows.jobs())).toEqual([job])
    })
  })
}
