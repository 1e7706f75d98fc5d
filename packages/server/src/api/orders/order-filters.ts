// Which orders a list holds is asked for by one set of filters: on the console, by merchants, for an
// export, and on the command line.
import { ANY_ORDER, type OrderFilter, STATES_ON_WIRE } from '@plazo/core'
import { InstantInput, oneOf } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import * as t from 'io-ts'
import type { RequestError } from '../../http/problem.ts'
import { decode } from '../../http/request.ts'

/** What each filter means, and how it is read. */
export const FILTERS = {
  search: [
    'The beginning of either reference in any case, or of the uuid with at least four digits.',
    t.string,
  ],
  checkout: ['The state of the checkout.', oneOf(...STATES_ON_WIRE.checkout)],
  risk: ['The state of the risk.', oneOf(...STATES_ON_WIRE.risk)],
  cancellation: ['The state of the cancellation.', oneOf(...STATES_ON_WIRE.cancellation)],
  since: ['Placed at this instant or later.', InstantInput],
  until: ['Placed before this instant.', InstantInput],
  changed_since: ['Changed last at this instant or later.', InstantInput],
  failing: ['true: only orders with a failing delivery.', oneOf('true')],
} as const

const MERCHANT = {
  merchant: ['The ref of a merchant. A search finds it too.', t.string],
} as const

/** Reads the members that are given. */
export const codecOf = <const A extends Readonly<Record<string, readonly [string, t.Mixed]>>>(
  all: A,
) =>
  t.partial(
    // `map` does not keep the codec of each name.
    R.map(([, codec]: readonly [string, t.Mixed]) => codec)(all) as {
      readonly [name in keyof A]: A[name][1]
    },
  )

const Filters = codecOf({ ...MERCHANT, ...FILTERS })

export const readFilters = (
  texts: Readonly<Record<string, string>>,
): E.Either<RequestError, OrderFilter> =>
  pipe(
    decode(Filters, texts),
    E.map((given) => ({
      ...ANY_ORDER,
      text: given.search === undefined ? null : { value: given.search.trim(), isWhole: false },
      merchantRef: given.merchant?.trim() ?? null,
      checkout: given.checkout ?? null,
      risk: given.risk ?? null,
      cancellation: given.cancellation ?? null,
      placedFrom: given.since ?? null,
      placedTo: given.until ?? null,
      changedFrom: given.changed_since ?? null,
      isFailing: given.failing !== undefined,
    })),
  )
