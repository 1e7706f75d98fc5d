// Searches orders in both SQL stores, newest first, and reads at most 10,000 entries of an index for
// a page. A reference, a uuid and failing deliveries have indexes of their own: if these name few
// orders, only those are read. Otherwise the search goes back through the index of a state, of the
// merchant, or of all orders, in chunks, until the page is full.
//
// The columns may be older than their order while a server of the former version runs, so each order
// is compared with the filter again after it was read.
import { type Order, type OrderFilter, STATES_ON_WIRE } from '@plazo/core'
import { REGIONS } from '@plazo/core/machine'
import {
  DEFAULT_STATES,
  LASTING_STATES,
  LOOKED_AT_MAX,
  matchesFilter,
  type OrderCount,
  type OrderPage,
  searchedText,
  uuidBeginning,
} from '@plazo/core/ports'

/** Binds a value to a statement, and returns its placeholder. Call it in the order of the text. */
type Bind = (value: unknown) => string

export type WriteSql = (bind: Bind) => string

type Region = (typeof REGIONS)[number]

/** The numbers to look at: `from` is exclusive, and the search goes down to `to`. */
type Bounds = { readonly from: number; readonly to: number }

/** `hint`: after the table's name. */
type IndexRange = readonly [where: string, order: string, hint?: string]

type SearchDialect = {
  /** The table. */
  readonly orders: string
  /** Its column that numbers orders as they were placed. */
  readonly number: string
  readonly query: <Row>(write: WriteSql) => Promise<readonly Row[]>
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
  /** Selects the `number` of the order of each failing delivery. */
  readonly failing: (limit: string) => string
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

// The part of a page's reads that may find out how many orders an index of texts or failures names.
const PROBED_MAX = 2_500
const CHUNK_MAX = 2_000
const CHUNK_GROWTH = 4

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

type Entry = {
  readonly number: number
  /** Null and 0 as false: the driver of SQLite has no booleans. */
  readonly matches: boolean | number | null
  readonly entry_count: number
}

type Scan = {
  readonly found: readonly number[]
  /** The last entry that was looked at. */
  readonly last: Entry | undefined
  readonly isExhausted: boolean
}

const LAST_CHARACTER = '\u{10ffff}'
const UUID_ENDS = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

/** The columns in which a text is searched, each with the condition that it is found there. */
const textConditions = (
  { value, isWhole }: NonNullable<OrderFilter['text']>,
  bind: Bind,
): readonly (readonly [column: string, condition: string])[] => {
  const between = (column: string, first: string, last: string) =>
    [column, `${column} >= ${bind(first)} and ${column} <= ${bind(last)}`] as const
  const searched = searchedText(value)
  const last = isWhole ? searched : searched + LAST_CHARACTER
  const uuid = uuidBeginning(value)
  const [first = '', lastUuid = ''] = UUID_ENDS.map((end) => uuid + end.slice(uuid?.length))
  return [
    between('o.search_1', searched, last),
    between('o.search_2', searched, last),
    ...(uuid === null || (isWhole && uuid !== first)
      ? []
      : [between('o.order_ref', first, lastUuid)]),
    ...(isWhole ? [] : [['o.merchant_ref', `o.merchant_ref = ${bind(value)}`] as const]),
  ]
}

const stateCondition = (region: Region, name: string, bind: Bind): string =>
  region !== 'checkout' && DEFAULT_STATES[region] === name
    ? `o.${region} is null`
    : `o.${region} = ${bind(name)}`

/** The conditions of a filter on the row `o`, in the order of their values. */
const conditionsOf = (
  filter: OrderFilter,
  { isFailing }: SearchDialect,
  bind: Bind,
): readonly string[] => {
  const { text, state } = filter
  const ifSet = (value: number | string | null, before: string): readonly string[] =>
    value === null ? [] : [`${before} ${bind(value)}`]
  const anyOf = (conditions: readonly string[]): string => `(${conditions.join(' or ')})`
  return [
    ...(text === null ? [] : [anyOf(textConditions(text, bind).map(([, condition]) => condition))]),
    ...(state === null
      ? []
      : [anyOf(REGIONS.map((region) => stateCondition(region, state, bind)))]),
    ...REGIONS.flatMap((region) => {
      const name = filter[region]
      return name === null ? [] : [stateCondition(region, name, bind)]
    }),
    ...ifSet(filter.merchantRef, 'o.merchant_ref ='),
    ...ifSet(filter.product, 'o.product ='),
    ...ifSet(filter.amountFrom, 'o.amount >='),
    ...ifSet(filter.amountTo, 'o.amount <='),
    ...ifSet(filter.placedFrom, 'o.placed_at >='),
    ...ifSet(filter.placedTo, 'o.placed_at <'),
    ...ifSet(filter.changedFrom, 'o.changed_at >='),
    ...ifSet(filter.changedTo, 'o.changed_at <'),
    ...(filter.isFailing ? [isFailing] : []),
  ]
}

/** A state that only one region has is a filter of that region, which may have an index. */
const withRegionOfState = (filter: OrderFilter): OrderFilter => {
  const { state } = filter
  const regions = REGIONS.filter((each) => state !== null && STATES_ON_WIRE[each].includes(state))
  const [region, ...others] = regions
  return region !== undefined && others.length === 0 && filter[region] === null
    ? { ...filter, state: null, [region]: state }
    : filter
}

const accessOf = ({ checkout, risk, cancellation, merchantRef }: OrderFilter): Access => {
  const by = (column: NonNullable<Access>['column'], value: string | null) =>
    value === null ? [] : [{ column, value }]
  const states = [
    ...by('cancellation', cancellation === DEFAULT_STATES.cancellation ? null : cancellation),
    ...by('risk', risk === DEFAULT_STATES.risk ? null : risk),
    ...by('lasting', checkout !== null && LASTING_STATES.includes(checkout) ? checkout : null),
  ]
  const rare = states.find(({ value }) => !COMMON_STATES.includes(value))
  return rare ?? by('merchant_ref', merchantRef)[0] ?? states[0] ?? null
}

/** The part of a filter that a row may differ from, although it was found so. */
const withoutPromised = (filter: OrderFilter, among: Access | readonly number[]): OrderFilter => {
  if (among === null) return filter
  if (!('column' in among))
    return { ...filter, ...(filter.text === null ? { isFailing: false } : { text: null }) }
  return { ...filter, [FILTERED_BY[among.column]]: null }
}

const isProbedOnly = ({ text, isFailing, ...others }: OrderFilter): boolean =>
  (text === null || !isFailing) && Object.values(others).every((each) => each === null)

export const createOrderSearch = (dialect: SearchDialect) => {
  const { orders, number, query, isOneOf } = dialect

  /**
   * The orders that the index of a text or of failures names. `null`: there are more than `max`.
   * `undefined`: the filter has no such index.
   */
  const probe = async (
    { text, isFailing }: OrderFilter,
    max: number,
  ): Promise<readonly number[] | null | undefined> => {
    if (text === null && !isFailing) return undefined
    const rows = await query<{ readonly number: number }>((bind) => {
      if (text === null) return dialect.failing(bind(max + 1))
      const parts = textConditions(text, bind).map(
        ([column, condition]) =>
          `select * from (select o.${number} as number from ${orders} o where ${condition} order by ${column} limit ${max + 1}) p`,
      )
      return `select number from (${parts.join(' union all ')}) parts limit ${max + 1}`
    })
    return rows.length > max ? null : [...new Set(rows.map((row) => row.number))]
  }

  const boundsOf = async (
    { placedFrom, placedTo }: OrderFilter,
    from: number | null,
  ): Promise<Bounds> => {
    const firstPlacedAt = async (at: number): Promise<number | undefined> => {
      const [first] = await query<{ readonly number: number }>(
        (bind) =>
          `select o.${number} as number from ${orders} o where o.placed_at >= ${bind(at)} order by o.placed_at, o.${number} limit 1`,
      )
      return first?.number
    }
    const upper = from ?? Number.MAX_SAFE_INTEGER
    const after = placedTo === null ? undefined : await firstPlacedAt(placedTo + CLOCK_SKEW)
    const to = placedFrom === null ? 0 : await firstPlacedAt(placedFrom - CLOCK_SKEW)
    return { from: Math.min(upper, after ?? upper), to: to ?? upper }
  }

  /**
   * The next `size` entries of an index, or fewer at its end. Rows: those that match, and the last.
   * Without a condition that the index does not promise, only the index is read.
   */
  const readEntries = (
    filter: OrderFilter,
    among: Access | readonly number[],
    { from, to }: Bounds,
    size: number,
  ): Promise<readonly Entry[]> =>
    query<Entry>((bind) => {
      const conditions = conditionsOf(withoutPromised(filter, among), dialect, bind)
      const inBounds = (): IndexRange => {
        const column = `o.${number}`
        if (among === null || !('column' in among)) {
          const where = `${column} < ${bind(from)} and ${column} >= ${bind(to)}`
          const listed = among === null ? '' : ` and ${isOneOf(column, among, bind)}`
          return [where + listed, `${column} desc`]
        }
        return dialect.withinIndex(among, { from, to }, bind)
      }
      const [where, order, hint = ''] = inBounds()
      return `
        with entries as materialized (
          select o.${number} as number, (${conditions.join(' and ') || 'true'}) as matches
          from ${orders} o ${hint} where ${where} order by ${order} limit ${size})
        select number, matches, (select count(*) from entries) as entry_count
        from entries where matches or number = (select min(number) from entries) order by number desc`
    })

  const readPlacedAt = async (entry: number): Promise<number | null> => {
    const [row] = await query<{ readonly placed_at: number | null }>(
      (bind) => `select placed_at from ${orders} where ${number} = ${bind(entry)}`,
    )
    return row?.placed_at ?? null
  }

  /** Looks at `budget` entries at most, until it has found more than `limit`. */
  const scan = async (
    filter: OrderFilter,
    among: Access | readonly number[],
    bounds: Bounds,
    limit: number,
    budget: number,
  ): Promise<Scan> => {
    const found: number[] = []
    let last: Entry | undefined
    // A list of numbers is bound with each statement, so it is read at once.
    let size = Array.isArray(among) ? among.length + 1 : Math.min(limit + 1, CHUNK_MAX)
    for (let budgetLeft = budget; budgetLeft > 0 && found.length <= limit; ) {
      const chunk = Math.min(size, budgetLeft)
      const entries = await readEntries(
        filter,
        among,
        { ...bounds, from: last?.number ?? bounds.from },
        chunk,
      )
      found.push(...entries.filter(({ matches }) => matches).map((entry) => entry.number))
      const read = entries[0]?.entry_count ?? 0
      if (read < chunk) return { found, last, isExhausted: true }
      last = entries.at(-1)
      budgetLeft -= read
      size = Math.min(size * CHUNK_GROWTH, CHUNK_MAX)
    }
    return { found, last, isExhausted: false }
  }

  return {
    search: async (given: OrderFilter, first: number | null, limit: number): Promise<OrderPage> => {
      const filter = withRegionOfState(given)
      const probed = await probe(filter, PROBED_MAX)
      const bounds = await boundsOf(filter, first)
      const budget = LOOKED_AT_MAX - (probed === null ? PROBED_MAX : 0)
      const { found, last, isExhausted } = await scan(
        filter,
        probed ?? accessOf(filter),
        bounds,
        limit,
        budget,
      )
      const page = found.slice(0, limit)
      const read = new Map(
        (await dialect.readOrders(page)).map((each) => [each.number, each.order]),
      )
      const listed = page
        .flatMap((each) => read.get(each) ?? [])
        .filter((order) => matchesFilter(order, given))
      if (found.length > limit)
        return { orders: listed, next: page.at(-1) ?? null, lookedBackTo: null }
      return isExhausted || last === undefined
        ? { orders: listed, next: null, lookedBackTo: null }
        : { orders: listed, next: last.number, lookedBackTo: await readPlacedAt(last.number) }
    },

    count: async (given: OrderFilter): Promise<OrderCount> => {
      const filter = withRegionOfState(given)
      const probed = await probe(filter, LOOKED_AT_MAX)
      if (probed !== undefined && isProbedOnly(filter))
        return { count: probed?.length ?? LOOKED_AT_MAX, isExact: probed !== null }
      const bounds = await boundsOf(filter, null)
      const { found, isExhausted } = await scan(
        filter,
        probed ?? accessOf(filter),
        bounds,
        LOOKED_AT_MAX,
        LOOKED_AT_MAX + 1,
      )
      const isExact = isExhausted && found.length <= LOOKED_AT_MAX
      return { count: Math.min(found.length, LOOKED_AT_MAX), isExact }
    },
  }
}
