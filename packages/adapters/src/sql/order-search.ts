// Lists of orders in both SQL stores, page by page. A search goes back from the newest order and reads
// at most 10,000 entries of an index for a page. A reference, a uuid and failing deliveries have
// indexes of their own: if these name few orders, only those are read. Otherwise the search follows
// the index of a state, of the merchant, or of all orders, until the page is full. If an index leads
// to orders that must be compared, and are far apart, the search ends sooner.
//
// Each order is compared with the filter again after it was read, because it may have changed since.
import {
  LOOKED_AT_MAX,
  lastingStates,
  OPERATOR_TASKS,
  type OperatorTaskCount,
  type Order,
  type OrderCount,
  type OrderFilter,
  type OrderLists,
  type OrderModel,
  stillMatches,
} from '@plazo/core/internal'
import type { Dialect } from './dialect.ts'
import { type Bind, type Condition, conditionsOf } from './order-conditions.ts'

type ListDialect = Dialect & {
  readonly model: OrderModel
  /** Rejects if one of them cannot be opened. */
  readonly readOrders: (orderRefs: readonly string[]) => Promise<ReadonlyMap<string, Order>>
}

// As many orders are compared, because each costs as much as several entries of an index.
const COMPARED_MAX = 3_000

// Orders are numbered nearly in the sequence of their instants: nodes commit a little later.
const CLOCK_SKEW = 3_600_000

// Most orders end in these states, so the index of a merchant is read before theirs.
const COMMON_STATES: readonly string[] = ['confirmed', 'low_risk']

/** Which orders are looked at, newest first. */
type Plan = {
  readonly filter: OrderFilter
  /** The condition whose index is followed. Undefined: the index of all orders. */
  readonly source: Condition | undefined
  /** The conditions that its entries are compared with. */
  readonly compared: readonly Condition[]
  /** The most entries. */
  readonly max: number
}

type ListedRow = { readonly order_ref: string }

type EntryRow = ListedRow & {
  readonly number: number
  /** Null and 0 as false: the driver of SQLite has no booleans. */
  readonly matches: boolean | number | null
  /** Among the entries, from 1. */
  readonly position: number
  readonly placed_at: number
}

type WaitingRow = ListedRow & { readonly position: number; readonly since: number }

type SelectNamed = NonNullable<Condition['selectNamed']>

type CountRow = { readonly matching: number; readonly looked: number }

const toCount = ({ matching, looked }: CountRow, max: number): OrderCount => ({
  count: Math.min(matching, max),
  isExact: looked <= max,
})

export const createOrderLists = (dialect: ListDialect): OrderLists => {
  const { model, schema, query, orUnavailable, isInIndex, readOrders } = dialect
  const lasting = lastingStates(model)

  const readListed = async <Row extends ListedRow>(rows: readonly Row[]) => {
    const read = await readOrders(rows.map(({ order_ref }) => order_ref))
    return rows.flatMap((row) => {
      const order = read.get(row.order_ref)
      return order === undefined ? [] : [{ ...row, order }]
    })
  }

  const readCount = async (select: (bind: Bind) => string): Promise<CountRow> => {
    const [row] = await query<CountRow>(select)
    return row ?? { matching: 0, looked: 0 }
  }

  /** How many entries there, at most `max`, name how many orders. */
  const countNamed = (selectNamed: SelectNamed, max: number): Promise<CountRow> =>
    readCount(
      (bind) => `
        select count(distinct named) as matching, count(*) as looked
        from (${selectNamed(max, bind)}) n`,
    )

  const choosePlan = async (
    filter: OrderFilter,
    conditions: readonly Condition[],
  ): Promise<Plan> => {
    const named = conditions.find(({ selectNamed }) => selectNamed !== undefined)
    const looked = named?.selectNamed
      ? (await countNamed(named.selectNamed, COMPARED_MAX + 1)).looked
      : 0
    const indexed = conditions.filter(({ index }) => index !== undefined)
    const rare = indexed.find(({ index }) => !COMMON_STATES.includes(index?.value ?? ''))
    const source = named !== undefined && looked <= COMPARED_MAX ? named : (rare ?? indexed[0])
    const compared = conditions.filter((each) => each !== source)
    const areFarApart = source !== undefined && compared.length > 0
    return { filter, source, compared, max: areFarApart ? COMPARED_MAX : LOOKED_AT_MAX - looked }
  }

  /**
   * Selects one entry more than the plan's most, each with whether it matches. If nothing is
   * compared, only the index is read.
   */
  const entriesSql = (
    { filter, source, compared, max }: Plan,
    from: number | null,
    bind: Bind,
  ): string => {
    const { placedFrom, placedTo } = filter
    const { index, selectNamed } = source ?? {}
    const firstPlacedAt = (at: number): string =>
      `(select id from ${schema}orders where placed_at >= ${bind(at)} order by placed_at, id limit 1)`
    const below = (): string => {
      if (from !== null) return bind(from)
      const after = placedTo === undefined ? 'null' : firstPlacedAt(placedTo + CLOCK_SKEW)
      return `coalesce(${after}, ${Number.MAX_SAFE_INTEGER})`
    }
    const oldest = (): string =>
      placedFrom === undefined ? '0' : firstPlacedAt(placedFrom - CLOCK_SKEW)
    const matches = compared.map(({ write }) => write(bind)).join(' and ') || 'true'
    const named = selectNamed?.(COMPARED_MAX, bind)
    return `
      select o.id as number, (${matches}) as matches
      from ${named ? `(select distinct named from (${named}) e) n cross join` : ''} ${schema}orders o
      where ${index ? isInIndex(index, below, oldest, bind) : `o.id < ${below()} and o.id >= ${oldest()}`}
        ${named ? 'and o.id = n.named' : ''}
      order by ${index ? `o.${index.column} desc,` : ''} o.id desc limit ${max + 1}`
  }

  const isOfMerchant = (merchantRef: string | null, bind: Bind): string =>
    merchantRef === null ? 'true' : `merchant_ref = ${bind(merchantRef)}`

  return {
    search: (filter, from, limit) =>
      orUnavailable(async () => {
        const plan = await choosePlan(filter, conditionsOf(filter, schema, lasting))
        // The database looks at no more entries than the page needs.
        const rows = await query<EntryRow>(
          (bind) => `
            select e.number, e.matches, e.position, o.order_ref, o.placed_at
            from (
              select number, matches, position
              from (
                select number, matches, row_number() over () as position
                from (${entriesSql(plan, from, bind)}) entries) numbered
              where matches or position > ${plan.max} limit ${limit + 1}) e
            cross join ${schema}orders o where o.id = e.number order by o.id desc`,
        )
        const found = rows.filter(({ matches }) => matches)
        const page = found.slice(0, limit)
        const isFull = found.length > limit
        const last = isFull ? page.at(-1) : rows.find(({ position }) => position > plan.max)
        const listed = await readListed(page)
        return {
          orders: listed
            .map(({ order }) => order)
            .filter((order) => stillMatches(order, filter, model)),
          next: last?.number ?? null,
          lookedBackTo: isFull ? null : (last?.placed_at ?? null),
        }
      }),

    count: (filter) =>
      orUnavailable(async () => {
        const conditions = conditionsOf(filter, schema, lasting)
        const [only, ...others] = conditions
        if (only?.selectNamed && others.length === 0)
          return toCount(await countNamed(only.selectNamed, LOOKED_AT_MAX + 1), LOOKED_AT_MAX)
        const plan = await choosePlan(filter, conditions)
        const counted = await readCount(
          (bind) => `
            select count(*) filter (where matches) as matching, count(*) as looked
            from (${entriesSql(plan, null, bind)}) entries`,
        )
        return toCount(counted, plan.max)
      }),

    waiting: (task, merchantRef, after, limit) =>
      orUnavailable(async () => {
        const rows = await query<WaitingRow>(
          (bind) => `
            select t.order_id as position, t.since, o.order_ref
            from (
              select order_id, since from ${schema}operator_tasks
              where ${isOfMerchant(merchantRef, bind)} and why = ${bind(task)} and order_id > ${bind(after ?? 0)}
              order by order_id limit ${bind(limit)}) t
            cross join ${schema}orders o where o.id = t.order_id order by o.id`,
        )
        const listed = await readListed(rows)
        return listed.map(({ order, since, position }) => ({ order, since, position }))
      }),

    countWaiting: (merchantRef, max) =>
      orUnavailable(async () => {
        const rows = await query<Omit<OperatorTaskCount, 'isExact'>>((bind) =>
          OPERATOR_TASKS.map(
            (task) => `
              select ${bind(task)} as task, count(*) as count, min(since) as since
              from (
                select since from ${schema}operator_tasks
                where ${isOfMerchant(merchantRef, bind)} and why = ${bind(task)}
                order by since limit ${max + 1}) t`,
          ).join(' union all '),
        )
        return rows
          .filter(({ count }) => count > 0)
          .map(({ count, ...row }) => ({
            ...row,
            ...toCount({ matching: count, looked: count }, max),
          }))
      }),
  }
}
