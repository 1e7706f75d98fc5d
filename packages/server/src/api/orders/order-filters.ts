// Which orders a list holds is asked for by one set of filters: on the console, by merchants, for an
// export, and on the command line.
import { InstantInQuery, type OrderFilter, oneOf, STATES_ON_WIRE } from '@plazo/core/internal'
import * as t from 'io-ts'
import { decode } from '../../http/request.ts'
import { codecOf } from '../list-query.ts'

/** What each filter means, and how it is read. */
export const FILTERS = {
  search: [
    'The beginning of either reference in any case, or of the uuid with at least four digits.',
    t.string,
  ],
  checkout: ['The state of the checkout.', oneOf(...STATES_ON_WIRE.checkout)],
  risk: ['The state of the risk.', oneOf(...STATES_ON_WIRE.risk)],
  cancellation: ['The state of the cancellation.', oneOf(...STATES_ON_WIRE.cancellation)],
  since: ['Placed at this instant or later.', InstantInQuery],
  until: ['Placed before this instant.', InstantInQuery],
  changed_since: ['Changed last at this instant or later.', InstantInQuery],
  failing: ['true: only orders with a failing delivery.', oneOf('true')],
} as const

const MERCHANT = {
  merchant: ['The ref of a merchant. Without it, a search finds the ref too.', t.string],
} as const

const Filters = codecOf({ ...MERCHANT, ...FILTERS })

/** Throws a `HandlerError` if one of the texts is wrong. */
export const readFilters = (texts: Readonly<Record<string, string>>): OrderFilter => {
  const filters = decode(Filters, texts)
  return {
    text:
      filters.search === undefined ? undefined : { value: filters.search.trim(), isWhole: false },
    merchantRef: filters.merchant?.trim(),
    checkout: filters.checkout,
    risk: filters.risk,
    cancellation: filters.cancellation,
    placedFrom: filters.since,
    placedTo: filters.until,
    changedFrom: filters.changed_since,
    isFailing: filters.failing !== undefined,
  }
}
