// A filter as conditions on the plain columns of an order, in both SQL stores. A condition that an
// index answers says so, because a search follows one index and compares the rest.
import {
  DEFAULT_STATES,
  type OrderFilter,
  type OrderText,
  REGIONS,
  STATES_ON_WIRE,
  searchedText,
  uuidBeginning,
} from '@plazo/core/internal'

/** Binds a value to a statement, and returns its placeholder. Call it in the order of the text. */
export type Bind = (value: unknown) => string

type Region = (typeof REGIONS)[number]

export type Condition = {
  /** The condition on the row `o`. */
  readonly write: (bind: Bind) => string
  /** The equation of a column, which has an index in the sequence of the orders' numbers. */
  readonly index?: { readonly column: string; readonly value: string }
  /** Selects the orders of the first entries of other indexes, as `named`, in any sequence. */
  readonly selectNamed?: (limit: number, bind: Bind) => string
}

/**
 * The deliveries that fail. Exactly the condition of the index outbox_failing, which a delivery that
 * succeeds at once never enters.
 */
const FAILING = `queue <> 'work' and resend_of is null and (
  state = 'exhausted' or state = 'pending' and attempts > 0
  or state = 'stopped' and attempts > 0 and queue = 'ipn')`

const LAST_CHARACTER = '\u{10ffff}'
const UUID_ENDS = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

/** The columns in which a text is searched, each with the condition that it is found there. */
const textConditions = (
  { value, isWhole }: OrderText,
  ofMerchant: boolean,
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
    ...(uuid !== null && (!isWhole || uuid === first)
      ? [between('o.order_ref', first, lastUuid)]
      : []),
    ...(isWhole || ofMerchant
      ? []
      : [['o.merchant_ref', `o.merchant_ref = ${bind(value)}`] as const]),
  ]
}

const inText = (text: OrderText, ofMerchant: boolean, schema: string): Condition => ({
  write: (bind) =>
    `(${textConditions(text, ofMerchant, bind)
      .map(([, condition]) => condition)
      .join(' or ')})`,
  // In the order of its column, each part reads no other index.
  selectNamed: (limit, bind) => {
    const parts = textConditions(text, ofMerchant, bind).map(
      ([column, condition]) =>
        `select * from (select o.id as named from ${schema}orders o where ${condition} order by ${column} limit ${limit}) p`,
    )
    return `${parts.join(' union all ')} limit ${limit}`
  },
})

// With exists, PostgreSQL could read all failing deliveries.
const isFailing = (schema: string): Condition => ({
  write: () =>
    `(select true from ${schema}outbox b where b.order_id = o.id and ${FAILING} limit 1) is not null`,
  selectNamed: (limit) =>
    `select order_id as named from ${schema}outbox where ${FAILING} order by order_id limit ${limit}`,
})

const equals = (column: string, value: string): Condition => ({
  write: (bind) => `o.${column} = ${bind(value)}`,
  index: { column, value },
})

const inState = (region: Region, name: string, lasting: ReadonlySet<string>): Condition => {
  if (region === 'checkout')
    return lasting.has(name)
      ? equals('lasting', name)
      : { write: (bind) => `o.checkout = ${bind(name)}` }
  return name === DEFAULT_STATES[region]
    ? { write: () => `o.${region} is null` }
    : equals(region, name)
}

/** `lasting`: the states of the checkout that have an index. */
export const conditionsOf = (
  filter: OrderFilter,
  schema: string,
  lasting: ReadonlySet<string>,
): readonly Condition[] => {
  const ifSet = <A>(
    value: A | undefined,
    conditionOf: (value: A) => Condition,
  ): readonly Condition[] => (value === undefined ? [] : [conditionOf(value)])
  const compare = (value: number | undefined, column: string) =>
    ifSet(value, () => ({ write: (bind) => `o.${column} ${bind(value)}` }))

  const inAnyRegion = (name: string): Condition => {
    const [region, ...others] = REGIONS.filter((each) => STATES_ON_WIRE[each].includes(name))
    if (region !== undefined && others.length === 0) return inState(region, name, lasting)
    const anyOf = REGIONS.map((each) => inState(each, name, lasting))
    return { write: (bind) => `(${anyOf.map(({ write }) => write(bind)).join(' or ')})` }
  }

  return [
    ...ifSet(filter.person, (hash) => equals('person', hash)),
    ...ifSet(filter.state, inAnyRegion),
    ...REGIONS.flatMap((region) => ifSet(filter[region], (name) => inState(region, name, lasting))),
    ...ifSet(filter.merchantRef, (ref) => equals('merchant_ref', ref)),
    ...compare(filter.placedFrom, 'placed_at >='),
    ...compare(filter.placedTo, 'placed_at <'),
    ...compare(filter.changedFrom, 'changed_at >='),
    ...ifSet(filter.text, (text) => inText(text, filter.merchantRef !== undefined, schema)),
    ...(filter.isFailing ? [isFailing(schema)] : []),
  ]
}
