// The contract of every adapter that stores records. What counts on one record being the only one
// of its key, or on ids that grow, is used by several nodes at once, so most tests run on two.
import {
  eraseShopperData,
  type FullStore,
  type NewRecord,
  type RecordFilter,
  type Records,
  type ShopperErasure,
} from '@plazo/core/internal'
import { citeSection, type Runner } from './runner.ts'
import { NOON, openShop, unwrap } from './shop.ts'
import { attemptReport, confirmByIpn, finishJobs } from './store-fixtures.ts'

/** What the tests of records get for each test. */
export type OpenedRecords = {
  /** The records as two nodes have them. A node that is alone gives its records twice. */
  readonly nodes: readonly [Records, Records]
  /** The orders of records. Null: a record may name any order, and none is erased. */
  readonly storage: { readonly store: FullStore; readonly erasure: ShopperErasure } | null
  readonly close: () => Promise<void>
}

const ANSWERED = attemptReport(200, { response: 'to Ana' })

/** A record without a key, of the merchant `shop`, with the members that you change. */
export const aRecord = (rest: Partial<NewRecord> = {}): NewRecord => ({
  kind: 'webhook',
  orderRef: null,
  merchantRef: 'shop',
  at: NOON,
  value: null,
  ...rest,
})

/**
 * Defines the tests of an adapter that stores records. `open` is called before each test, and
 * returns empty ones.
 */
export const recordsContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedRecords>,
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(
    runner,
    'docs/architecture.md, Stores',
  )
  describe(`${name} keep the contract of records`, () => {
    let opened: OpenedRecords
    let records: Records
    let other: Records
    let one: string
    let two: string
    beforeEach(async () => {
      opened = await open()
      ;[records, other] = opened.nodes
      const shop = opened.storage && openShop(opened.storage.store)
      one = shop === null ? 'one' : await shop.place()
      two = shop === null ? 'two' : await shop.place()
    })
    afterEach(() => opened.close())

    const list = (filter: RecordFilter) => unwrap(other.list(filter))
    const valuesOf = async (filter: RecordFilter): Promise<readonly unknown[]> =>
      (await list(filter)).map(({ value }) => value)
    const addAll = async (...added: readonly Partial<NewRecord>[]) => {
      for (const each of added) await unwrap(records.add(aRecord(each)))
    }
    const put = (key: string, rest: Partial<NewRecord> = {}) => ({ ...aRecord(rest), key })

    it('returns what was added, with an id that grows', async () => {
      const value = { text: '\0 “✓” \u{1f600}', list: [1, null] }
      const record = aRecord({ orderRef: one, merchantRef: "o'ñ", value })
      const first = await unwrap(records.add(record))
      const second = await unwrap(other.add(aRecord({ value: 'bare' })))
      expect(second).toBeGreaterThan(first)
      expect(await list({ kind: 'webhook' })).toEqual([
        { ...record, key: null, id: first },
        { ...aRecord({ value: 'bare' }), key: null, id: second },
      ])
    })

    it('lists the records of an order, of one kind or of all, oldest first', async () => {
      await addAll(
        { orderRef: one, value: 1 },
        { orderRef: two, value: 2 },
        { orderRef: one, value: 3, merchantRef: 'lamps' },
        { orderRef: one, value: 4, kind: 'message', merchantRef: null },
        { value: 5 },
      )
      expect(await valuesOf({ kind: 'webhook', orderRef: one })).toEqual([1, 3])
      expect(await valuesOf({ kind: 'message', orderRef: one })).toEqual([4])
      expect(await valuesOf({ orderRef: one })).toEqual([1, 3, 4])
      expect(await valuesOf({ kind: 'webhook', orderRef: 'nobody' })).toEqual([])
      expect(await valuesOf({ kind: 'web', orderRef: one })).toEqual([])
    })

    it('has at most one record of a key, with a new id, also if two nodes put it at once', async () => {
      const before = await unwrap(records.put(put('a', { orderRef: one, value: 0 })))
      await unwrap(records.put(put('a', { kind: 'request', value: 'another kind' })))
      const ids = await Promise.all(
        [records, other, records, other].map((node, value) =>
          unwrap(node.put(put('a', { value }))),
        ),
      )
      const stored = await list({ kind: 'webhook', key: 'a' })
      expect(stored).toHaveLength(1)
      expect(ids).toContain(stored[0]?.id)
      expect(Math.min(...ids)).toBeGreaterThan(before)
      expect(await list({ kind: 'webhook', orderRef: one })).toEqual([])
      expect(await list({ kind: 'request', key: 'a' })).toHaveLength(1)
    })

    it('finds the keys that begin with the same parts, in the order in which they were last put', async () => {
      for (const key of ['a/1', 'a/2', 'a', 'ab/1', 'a-/1', 'b/a/1', 'a/1'])
        await unwrap(records.put(put(key, { value: key })))
      await addAll({ value: 'without a key' })
      expect(await valuesOf({ kind: 'webhook', key: 'a' })).toEqual(['a/2', 'a', 'a/1'])
      expect(await valuesOf({ kind: 'webhook', key: 'a/1' })).toEqual(['a/1'])
      expect(await valuesOf({ kind: 'webhook', key: 'b/a' })).toEqual(['b/a/1'])
      expect(await valuesOf({ kind: 'webhook', key: '%' })).toEqual([])
      const all = await Promise.all(
        ['a', 'ab', 'none'].map((key) => valuesOf({ kind: 'webhook', key })),
      )
      expect(all.map(({ length }) => length)).toEqual([3, 1, 0])
    })

    it('removes the record of a key, and no other', async () => {
      for (const key of ['a', 'a/1', 'b']) await unwrap(records.put(put(key, { value: key })))
      await unwrap(records.put(put('a', { kind: 'request' })))
      await unwrap(records.remove('webhook', 'a'))
      await unwrap(records.remove('webhook', 'a'))
      expect(await valuesOf({ kind: 'webhook' })).toEqual(['a/1', 'b'])
      expect(await list({ kind: 'request' })).toHaveLength(1)
    })

    it('shows two nodes that add at once which of them was first', async () => {
      const addAndLook = async (node: Records): Promise<boolean> => {
        const id = await unwrap(node.add(aRecord()))
        const [first] = await unwrap(node.list({ kind: 'webhook' }))
        return first?.id === id
      }
      const wereFirst = await Promise.all([records, other, records, other].map(addAndLook))
      expect(wereFirst.filter(Boolean)).toHaveLength(1)
    })

    it('hashes a name alike on all nodes, and tells nothing of it', () => {
      expect(records.hash('Ana')).toBe(other.hash('Ana'))
      expect(records.hash('Ana')).toEqual(expect.stringMatching(/^[0-9a-f]{64}$/))
      expect(records.hash('Eva')).not.toBe(records.hash('Ana'))
    })

    it('erases the records of an order with its shopper, and keeps those that name no order', async () => {
      const { storage } = opened
      if (storage === null) return
      const shop = openShop(storage.store)
      await confirmByIpn(shop, one, ANSWERED)
      await shop.cancel(one)
      await finishJobs(shop, ANSWERED)
      await addAll({ orderRef: one, value: 1 }, { orderRef: two, value: 2 }, { value: 3 })
      await unwrap(records.put(put('card', { orderRef: one })))
      await unwrap(records.put(put(`${one}/card`, { kind: 'card' })))
      await unwrap(eraseShopperData({ erasure: storage.erasure, clock: shop })(one))
      expect(await valuesOf({ kind: 'webhook' })).toEqual([2, 3])
      expect(await list({ kind: 'card', key: one })).toMatchObject([{ key: `${one}/card` }])
    })
  })
}
