// A filter as conditions on the plain columns of an order, in both SQL stores.
import { type OrderFilter, STATES_ON_WIRE } from '@plazo/core'
import { REGIONS } from '@plazo/core/machine'
import { DEFAULT_STATES, searchedText, uuidBeginning } from '@plazo/core/ports'

/** Binds a value to a statement, and returns its placeholder. Call it in the order of the text. */
export type Bind = (value: unknown) => string

type Region = (typeof REGIONS)[number]

const LAST_CHARACTER = '\u{10ffff}'
const UUID_ENDS = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

/** The columns in which a text is searched, each with the condition that it is found there. */
export const textConditions = (
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

/**
 * The conditions of a filter on the row `o`, in the order of their values. `isFailing`: the one that
 * its order has a failing delivery.
 */
export const conditionsOf = (
  filter: OrderFilter,
  isFailing: string,
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
    ...ifSet(filter.placedFrom, 'o.placed_at >='),
    ...ifSet(filter.placedTo, 'o.placed_at <'),
    ...ifSet(filter.changedFrom, 'o.changed_at >='),
    ...(filter.isFailing ? [isFailing] : []),
  ]
}

/** A state that only one region has is a filter of that region, which may have an index. */
export const withRegionOfState = (filter: OrderFilter): OrderFilter => {
  const { state } = filter
  const regions = REGIONS.filter((each) => state !== null && STATES_ON_WIRE[each].includes(state))
  const [region, ...others] = regions
  return region !== undefined && others.length === 0 && filter[region] === null
    ? { ...filter, state: null, [region]: state }
    : filter
}
