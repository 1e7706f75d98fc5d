// Pages and commands read endpoints here, so that both show the same numbers in the same order.
import { ANY_ORDER, type FullHost, type OrderFilter } from '@plazo/core'
import type { Endpoint, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type EndpointHealth, healthOf, WEEK_MILLIS } from './endpoint-health.ts'
import { countWords } from './words.ts'

const SHOWN_MAX = 100

export const KINDS = ['ipn', 'event'] as const satisfies readonly Endpoint['kind'][]

/** An endpoint with the number of its deliveries that wait. */
export type ListedEndpoint = EndpointHealth & { readonly waiting: number }

export type EndpointList = {
  /** The longest failing first. */
  readonly failing: readonly ListedEndpoint[]
  /** By merchant and kind. */
  readonly others: readonly ListedEndpoint[]
  /** True: there are more than are shown. */
  readonly isCut: boolean
}

const UNUSED = { lastGoodAt: null, failingSince: null, failures: 0 }

export const endpointReader = ({
  store: { endpoints, orders },
  clock,
  terms,
}: Pick<FullHost, 'store' | 'clock' | 'terms'>) => {
  const readHealth = (
    all: readonly Endpoint[],
  ): TE.TaskEither<Unavailable, readonly ListedEndpoint[]> =>
    pipe(
      endpoints.hours(
        [...new Set(all.map(({ merchantRef }) => merchantRef))],
        clock.now() - WEEK_MILLIS,
      ),
      TE.map((hours) => Map.groupBy(hours, ({ merchantRef }) => merchantRef)),
      TE.bindTo('hours'),
      TE.bind('waiting', () =>
        TE.traverseArray(({ merchantRef, kind }: Endpoint) => endpoints.waiting(merchantRef, kind))(
          all,
        ),
      ),
      TE.map(({ hours, waiting }) =>
        all.map((endpoint, n) => ({
          ...healthOf(endpoint, hours.get(endpoint.merchantRef) ?? [], clock.now()),
          waiting: waiting[n] ?? 0,
        })),
      ),
    )

  const list = (isFailing: boolean) =>
    endpoints.list({ merchantRef: null, isFailing, limit: SHOWN_MAX })

  // Orders that are not confirmed expire, so only those of two lifetimes are looked at.
  const countConfirming = (merchantRef: string, filter: Partial<OrderFilter>) =>
    pipe(
      orders.count({
        ...{ ...ANY_ORDER, merchantRef, checkout: 'confirming' },
        ...{ placedFrom: clock.now() - 2 * terms.rules.checkoutLifetime, ...filter },
      }),
      TE.map((count) => countWords(count)),
    )

  return {
    list: pipe(
      TE.Do,
      TE.bind('failing', () => list(true)),
      TE.bind('all', () => list(false)),
      TE.bind('listed', ({ failing, all }) =>
        readHealth([...failing, ...all.filter(({ failingSince }) => failingSince === null)]),
      ),
      TE.map(
        ({ failing, all, listed }): EndpointList => ({
          failing: listed.slice(0, failing.length),
          others: listed.slice(failing.length),
          isCut: all.length === SHOWN_MAX,
        }),
      ),
    ),

    /** One that was never called is listed too. */
    find: (
      merchantRef: string,
      kind: Endpoint['kind'],
    ): TE.TaskEither<Unavailable, ListedEndpoint> =>
      pipe(
        endpoints.list({ merchantRef, isFailing: false, limit: 2 }),
        TE.chain((found) =>
          readHealth([
            found.find((each) => each.kind === kind) ?? { merchantRef, kind, ...UNUSED },
          ]),
        ),
        // One endpoint gives one.
        TE.map(([endpoint]) => endpoint as ListedEndpoint),
      ),

    /** The orders that a good answer can still save: `3 orders`. */
    countSaveable: (merchantRef: string): TE.TaskEither<Unavailable, string> =>
      countConfirming(merchantRef, { isFailing: true }),
  }
}
