// A developer asks what happens from some point of an order on, and must not lose the order to find
// out. A fork is a new order of the same merchant with the same past, stored in one transaction.
import {
  type FullHost,
  type JournalLine,
  type Order,
  type Placed,
  type Refused,
  refuseTakenReference,
} from '@plazo/core'
import type { OrderNotFound, Unavailable } from '@plazo/core/ports'
import { decodeOrder, type OrderPayload } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type CopyRequest, copyOrder } from './copy-order.ts'

/**
 * `delivers`: the fork's requests go to the merchant's own URLs, not to a sink that accepts all of
 * them.
 */
type ForkRequest = CopyRequest & { readonly delivers: boolean }

/**
 * Remembers which orders are forks of an order, because erasing that order's shopper leaves its
 * forks as they are.
 */
export type ForkLinks = {
  readonly add: (original: Order, forkRef: string) => TE.TaskEither<Unavailable, void>
  readonly remove: (original: Order, forkRef: string) => TE.TaskEither<Unavailable, void>
}

const LINES_MAX = 2_000
const FORK_SUFFIX = /-fork-[0-9a-f]{8}$/

const refuse = (sentence: string): Refused => ({ _tag: 'Refused', sentences: [sentence] })

/** @param sinkUrl accepts the requests of forks that deliver to nobody */
export const forkOrder =
  ({ store, clock, ids, terms }: FullHost, sinkUrl: string, links: ForkLinks) =>
  (
    original: Order,
    request: ForkRequest,
  ): TE.TaskEither<Refused | OrderNotFound | Unavailable, Order> => {
    const { placed, revision } = original
    if (revision > LINES_MAX)
      return TE.left(refuse(`The order has ${revision} events. Up to ${LINES_MAX} can be copied.`))

    const orderRef = ids.orderRef()
    const newReference = (first: string): string =>
      `${first.replace(FORK_SUFFIX, '')}-fork-${orderRef.slice(0, 8)}`

    const copyWith = (payload: string | null, journal: readonly JournalLine[]) => {
      if (payload === null) return E.left('The order’s shopper was erased, so it cannot be forked.')
      const body = decodeOrder(JSON.parse(payload))
      if (E.isLeft(body)) return E.left(body.left.join(' '))
      const { references } = body.right
      return pipe(
        copyOrder(terms)(
          {
            placed: withUrls(placed, body.right, request.delivers ? null : sinkUrl),
            references,
            journal,
          },
          request,
          { orderRef, now: clock.now(), random: ids.random, newReference },
        ),
        E.map((step) => ({
          step,
          payload: references.first ? withReference(payload, newReference) : payload,
        })),
      )
    }

    const place = pipe(
      TE.Do,
      TE.bind('payload', () => store.inspection.payload(placed.orderRef)),
      TE.bindW('journal', () => store.journal(placed.orderRef)),
      TE.chainEitherKW(({ payload, journal }) => E.mapLeft(refuse)(copyWith(payload, journal))),
      TE.chainW(({ step, payload }) =>
        pipe(
          store.place(step, payload),
          TE.bimap(refuseTakenReference, () => step.order),
        ),
      ),
    )

    // The link comes first, so that a later erasure names the fork. An earlier erasure has left
    // nothing to copy.
    return pipe(
      links.add(original, orderRef),
      TE.chainW(() => place),
      TE.orElseFirstTaskK(() => links.remove(original, orderRef)),
    )
  }

// The body keeps the merchant's own URLs, so that a fork of a muted fork can use them.
const withUrls = (
  placed: Placed,
  { notifyUrl, eventsWebhook }: OrderPayload,
  sinkUrl: string | null,
): Placed => ({
  ...placed,
  notifyUrl: notifyUrl && (sinkUrl ?? notifyUrl),
  eventsWebhook: eventsWebhook && { ...eventsWebhook, url: sinkUrl ?? eventsWebhook.url },
})

/**
 * The body as if the fork had been placed with its own `order_ref_1`. A fork of the fork reads its
 * references there. Only for a body in which `decodeOrder` has found a reference.
 */
const withReference = (payload: string, newReference: (first: string) => string): string => {
  const body = JSON.parse(payload)
  const references = body.order.merchant_reference
  references.order_ref_1 = newReference(references.order_ref_1)
  return JSON.stringify(body)
}
