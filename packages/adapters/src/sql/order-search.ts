// Searches orders in both SQL stores, newest first, and reads at most 10,000 entries of an index for
// a page. A reference, a uuid and failing deliveries have indexes of their own: if these name few
// orders, only those are read. Otherwise the search goes back through the index of a state, of the
// merchant, or of all orders, in chunks, until the page is full. If an index leads to orders that must
// be compared and are far apart, or each is looked up in two indexes, the search ends sooner.
//
// Each order is compared with the filter again after it was read, because it may have changed since.
import type { Order, OrderFilter } from '@plazo/core'
import {
  DEFAULT_STATES,
  LOOKED_AT_MAX,
  lastingStates,
  matchesFilter,
  type OrderCount,
  type OrderModel,
  type OrderPage,
} from '@plazo/core/ports'
import { type Bind, conditionsOf, textConditions, withRegionOfState } from './order-conditions.ts'

/** Runs the statement that `write` returns. */
export type ListQuery = <Row>(write: (bind: Bind) => string) => Promise<readonly Row[]>

/** The numbers to look at: `from` is exclusive, and the search goes down to `to`. */
type Bounds = { readonly from: number; readonly to: number }

/** `hint`: after the table's name. */
type IndexRange = readonly [where: string, order: string, hint?: string]

type SearchDialect = {
  readonly model: OrderModel
  /** The table. */
  readonly orders: string
  readonly query: ListQuery
  /** The most entries that one statement looks at. */
  readonly chunk: number
  /** The condition that a column is one of these numbers. */
  readonly isOneOf: (column: string, numbers: readonly number[], bind: Bind) => string
  /** The entries of an index with this value, so that no other index is read for them. */
  readonly withinIndex: (
    access: { readonly column: string; readonly value: string },
    bounds: Bounds,
    bind: Bind,
  ) => IndexRange
  /** The condition that the order in the row `o` has a failing delivery. */
  readonly isFailing: string
  /** Selects the order of each failing delivery as `named`, from an index alone. */
  readonly selectFailing: (limit: string) => string
  /** In any sequence. */
  readonly readOrders: (
    numbers: readonly number[],
  ) => Promise<readonly { readonly number: number; readonly order: Order }[]>
}

/**
 * The deliveries that fail. Exactly the condition of the index outbox_failing, which a delivery that
 * succeeds at once never enters.
 */
export const FAILING = `queue <> 'work' and resend_of is null and (
  state = 'exhausted' or state = 'pending' and attempts > 0 or state = 'claimed' and attempts > 1
  or state = 'stopped' and attempts > 0 and queue = 'ipn')`

// As many orders are compared, because each costs as much as several entries of an index.
const COMPARED_MAX = 3_000

// Orders are numbered nearly in the sequence of their instants: nodes commit a little later.
const CLOCK_SKEW = 3_600_000

// Most orders end in these states, so the index of a merchant is read before theirs.
const COMMON_STATES: readonly string[] = ['confirmed', 'low_risk']

// The columns with an index in the sequence of the numbers, each with the filter that asks for it.
const FILTERED_BY = {
  cancellation: 'cancellation',
  risk: 'risk',
  lasting: 'checkout',
  merchant_ref: 'merchantRef',
} as const

/** An index of one column's value. Null: the index of all orders. */
type Access = { readonly column: keyof typeof FILTERED_BY; readonly value: string } | null

/** Which orders a search looks at: the entries of an index, or those with these numbers. */
type Among = Access | readonly number[]

type Entry = {
  readonly number: number
  /** Null and 0 as false: the driver of SQLite has no booleans. */
  readonly matches: boolean | number | null
  /** In the range, from 1. */
  readonly position: number
}

type EntryRange = {
  readonly filter: OrderFilter
  readonly among: Among
  readonly bounds: Bounds
  readonly size: number
}

type NamedCount = { readonly entries: number; readonly orders: number }

type Scan = {
  readonly found: readonly number[]
  /** The last entry that was looked at, if fewer were found than asked for. */
  readonly last: number | null
  readonly isExhausted: boolean
}

const accessOf = (
  { checkout, risk, cancellation, merchantRef }: OrderFilter,
  lasting: ReadonlySet<string>,
): Access => {
  const by = (column: NonNullable<Access>['column'], value: string | null) =>
    value === null ? [] : [{ column, value }]
  const states = [
    ...by('cancellation', cancellation === DEFAULT_STATES.cancellation ? null : cancellation),
    ...by('risk', risk === DEFAULT_STATES.risk ? null : risk),
    ...by('lasting', checkout !== null && lasting.has(checkout) ? checkout : null),
  ]
  const rare = states.find(({ value }) => !COMMON_STATES.includes(value))
  return rare ?? by('merchant_ref', merchantRef)[0] ?? states[0] ?? null
}

/** The part of a filter that a row may differ from, although it was found so. */
const withoutPromised = (filter: OrderFilter, among: Among): OrderFilter => {
  if (among === null) return filter
  if (!('column' in among))
    return { ...filter, ...(filter.text === null ? { isFailing: false } : { text: null }) }
  return { ...filter, [FILTERED_BY[among.column]]: null }
}

const isAnyOrder = ({ isFailing, ...others }: OrderFilter): boolean =>
  !isFailing && Object.values(others).every((each) => each === null)

const hasNames = ({ text, isFailing }: OrderFilter): boolean => text !== null || isFailing

/** True if a text, or failures, are all that is asked for: their index has the answer. */
const isNamesOnly = (filter: OrderFilter): boolean =>
  hasNames(filter) && isAnyOrder(withoutPromised(filter, []))

/** The most entries that are looked at. The orders of the index of all are next to each other. */
const budgetOf = (filter: OrderFilter, among: Among): number => {
  const isCheap = among === null && (!hasNames(filter) || isNamesOnly(filter))
  return isCheap || isAnyOrder(withoutPromised(filter, among)) ? LOOKED_AT_MAX : COMPARED_MAX
}

export const createOrderSearch = (dialect: SearchDialect) => {
  const { orders, query, isOneOf, model } = dialect
  const lasting = lastingStates(model)

  /** Selects `column` of what the index of the filter's text names, or else what that of failures does. */
  const namedSql = (
    { text }: OrderFilter,
    selectFailing: SearchDialect['selectFailing'],
    column: string,
    limit: number,
    bind: Bind,
  ): string => {
    if (text === null) return selectFailing(bind(limit))
    const parts = textConditions(text, bind).map(
      ([searched, condition]) =>
        `select * from (select ${column} as named from ${orders} o where ${condition} order by ${searched} limit ${limit}) p`,
    )
    return `select named from (${parts.join(' union all ')}) parts limit ${limit}`
  }

  /** How many entries there, at most `max`, name how many orders. Reads only the index. */
  const countNamed = async (filter: OrderFilter, max: number): Promise<NamedCount> => {
    const [row] = await query<NamedCount>(
      (bind) =>
        `select count(*) as entries, count(distinct named) as orders from (${namedSql(filter, dialect.selectFailing, 'o.id', max, bind)}) n`,
    )
    return row ?? { entries: 0, orders: 0 }
  }

  /** The orders that are named there. `null`: too many. `undefined`: the filter has no such index. */
  const readNamed = async (filter: OrderFilter): Promise<readonly number[] | null | undefined> => {
    if (!hasNames(filter)) return undefined
    const { entries } = await countNamed(filter, COMPARED_MAX + 1)
    if (entries > COMPARED_MAX) return null
    const rows = await query<{ readonly named: number }>((bind) =>
      namedSql(filter, dialect.selectFailing, 'o.id', COMPARED_MAX, bind),
    )
    return [...new Set(rows.map(({ named }) => named))]
  }

  const boundsOf = async (
    { placedFrom, placedTo }: OrderFilter,
    from: number | null,
  ): Promise<Bounds> => {
    const firstPlacedAt = async (at: number): Promise<number | undefined> => {
      const [first] = await query<{ readonly number: number }>(
        (bind) =>
          `select o.id as number from ${orders} o where o.placed_at >= ${bind(at)} order by o.placed_at, o.id limit 1`,
      )
      return first?.number
    }
    const upper = from ?? Number.MAX_SAFE_INTEGER
    const after = placedTo === null ? undefined : await firstPlacedAt(placedTo + CLOCK_SKEW)
    const to = placedFrom === null ? 0 : await firstPlacedAt(placedFrom - CLOCK_SKEW)
    return { from: Math.min(upper, after ?? upper), to: to ?? upper }
  }

  /**
   * Selects the next `size` entries of an index, or fewer at its end, each with whether it matches.
   * Without a condition that the index does not promise, only the index is read.
   */
  const entriesSql = ({ filter, among, bounds, size }: EntryRange, bind: Bind): string => {
    const conditions = conditionsOf(withoutPromised(filter, among), dialect.isFailing, bind)
    const inBounds = (): IndexRange => {
      if (among !== null && 'column' in among) return dialect.withinIndex(among, bounds, bind)
      const column = 'o.id'
      const where = `${column} < ${bind(bounds.from)} and ${column} >= ${bind(bounds.to)}`
      const listed = among === null ? '' : ` and ${isOneOf(column, among, bind)}`
      return [where + listed, `${column} desc`]
    }
    const [where, order, hint = ''] = inBounds()
    return `
      select o.id as number, (${conditions.join(' and ') || 'true'}) as matches
      from ${orders} o ${hint} where ${where} order by ${order} limit ${size}`
  }

  /**
   * The first `limit` entries that match, and the last of all if the range has as many as its size.
   * The database looks at no more entries than that.
   */
  const readEntries = (range: EntryRange, limit: number): Promise<readonly Entry[]> =>
    query<Entry>(
      (bind) => `
        select number, matches, position from (
          select number, matches, row_number() over () as position
          from (${entriesSql(range, bind)}) entries) numbered
        where matches or position = ${range.size} limit ${limit}`,
    )

  const readPlacedAt = async (entry: number): Promise<number | null> => {
    const [row] = await query<{ readonly placed_at: number | null }>(
      (bind) => `select placed_at from ${orders} where id = ${bind(entry)}`,
    )
    return row?.placed_at ?? null
  }

  /** Looks at `size` entries at most, until it has found more than `limit`. */
  const scan = async ({ bounds, size, ...range }: EntryRange, limit: number): Promise<Scan> => {
    const found: number[] = []
    let last: number | null = null
    // A list of numbers is bound with each statement, so it is read at once.
    const chunkMax = Array.isArray(range.among) ? size : dialect.chunk
    for (let sizeLeft = size; sizeLeft > 0; ) {
      const chunk = Math.min(chunkMax, sizeLeft)
      const next = { ...range, bounds: { ...bounds, from: last ?? bounds.from }, size: chunk }
      const entries = await readEntries(next, limit + 1 - found.length)
      found.push(...entries.filter(({ matches }) => matches).map((entry) => entry.number))
      if (found.length > limit) break
      const end = entries.find(({ position }) => position === chunk)
      if (end === undefined) return { found, last, isExhausted: true }
      last = end.number
      sizeLeft -= chunk
    }
    return { found, last, isExhausted: false }
  }

  return {
    search: async (given: OrderFilter, first: number | null, limit: number): Promise<OrderPage> => {
      const filter = withRegionOfState(given)
      const named = await readNamed(filter)
      const among = named ?? accessOf(filter, lasting)
      const bounds = await boundsOf(filter, first)
      const size = Math.min(
        budgetOf(filter, among) + 1,
        LOOKED_AT_MAX - (named === null ? COMPARED_MAX : 0),
      )
      const { found, last, isExhausted } = await scan({ filter, among, bounds, size }, limit)
      const page = found.slice(0, limit)
      const read = new Map(
        (await dialect.readOrders(page)).map((each) => [each.number, each.order]),
      )
      const listed = page
        .flatMap((each) => read.get(each) ?? [])
        .filter((order) => matchesFilter(order, given, model))
      if (found.length > limit)
        return { orders: listed, next: page.at(-1) ?? null, lookedBackTo: null }
      return isExhausted || last === null
        ? { orders: listed, next: null, lookedBackTo: null }
        : { orders: listed, next: last, lookedBackTo: await readPlacedAt(last) }
    },

    count: async (given: OrderFilter): Promise<OrderCount> => {
      const filter = withRegionOfState(given)
      if (isNamesOnly(filter)) {
        const named = await countNamed(filter, LOOKED_AT_MAX + 1)
        return named.entries > LOOKED_AT_MAX
          ? { count: LOOKED_AT_MAX, isExact: false }
          : { count: named.orders, isExact: true }
      }
      const among = (await readNamed(filter)) ?? accessOf(filter, lasting)
      const bounds = await boundsOf(filter, null)
      const max = budgetOf(filter, among)
      const [row] = await query<{ readonly matching: number; readonly looked: number }>(
        (bind) => `
          select count(*) filter (where matches) as matching, count(*) as looked
          from (${entriesSql({ filter, among, bounds, size: max + 1 }, bind)}) entries`,
      )
      const { matching = 0, looked = 0 } = row ?? {}
      return { count: Math.min(matching, max), isExact: looked <= max }
    },
  }
}
