// A developer asks what happens from some point of an order on, and must not lose the order to find
// out. A fork is a new order of the same merchant with the same past, stored in one transaction.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type CopyRequest, copyOrder, type OwnValues } from '../../order/copy-order.ts'
import type { Order } from '../../order/order.ts'
import type { JournalLine } from '../../order/step.ts'
import type { OrderNotFound } from '../../ports/order-store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import { decodeOrder, type OrderPayload } from '../../protocol/order-payload.ts'
import { isJsonObject } from '../../protocol/scalars.ts'
import { type FullHost, type Refused, refuse } from '../host.ts'
import { refuseTakenReference } from './place-order.ts'

/**
 * `delivers`: the fork's requests go to the merchant's own URLs, not to a sink that accepts all of
 * them.
 */
export type ForkRequest = CopyRequest & { readonly delivers: boolean }

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

/** @param sinkUrl accepts the requests of forks that deliver to nobody */
export const forkOrder =
  (host: FullHost, sinkUrl: string, links: ForkLinks) =>
  (
    original: Order,
    request: ForkRequest,
  ): TE.TaskEither<Refused | OrderNotFound | Unavailable, Order> => {
    const { store, clock, ids, terms } = host
    const { placed, revision } = original
    if (revision > LINES_MAX)
      return TE.left(
        refuse([`The order has ${revision} events. Up to ${LINES_MAX} can be copied.`]),
      )

    const orderRef = ids.orderRef()
    const forkValues: OwnValues = {
      orderRef,
      now: clock.now(),
      random: ids.random,
      newReference: (first) => `${first.replace(FORK_SUFFIX, '')}-fork-${orderRef.slice(0, 8)}`,
    }

    const copyWith = (payload: string | null, journal: readonly JournalLine[]) => {
      if (payload === null) return E.left('The order’s shopper was erased, so it cannot be forked.')
      return pipe(
        decodeOrder(JSON.parse(payload)),
        E.mapLeft((sentences) => sentences.join(' ')),
        E.chain((body) => {
          const copied = withUrls(placed, body, request.delivers ? null : sinkUrl)
          return copyOrder(terms)(
            { placed: copied, references: body.references, journal },
            request,
            forkValues,
          )
        }),
        E.map((step) => ({ step, payload: renameReferenceIn(payload, forkValues) })),
      )
    }

    const place = pipe(
      TE.Do,
      TE.bind('payload', () => store.inspection.payload(placed.orderRef)),
      TE.bindW('journal', () => store.journal(placed.orderRef)),
      TE.chainEitherKW(({ payload, journal }) =>
        E.mapLeft((sentence: string) => refuse([sentence]))(copyWith(payload, journal)),
      ),
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
  placed: Order['placed'],
  { notifyUrl, eventsWebhook }: OrderPayload,
  sinkUrl: string | null,
): Order['placed'] => ({
  ...placed,
  notifyUrl: notifyUrl && (sinkUrl ?? notifyUrl),
  eventsWebhook: eventsWebhook && { ...eventsWebhook, url: sinkUrl ?? eventsWebhook.url },
})

/**
 * The body as if the fork had been placed with its own `order_ref_1`. A fork of the fork reads its
 * references there.
 */
const renameReferenceIn = (text: string, { newReference }: OwnValues): string => {
  const body: unknown = JSON.parse(text)
  if (
    !isJsonObject(body) ||
    !isJsonObject(body.order) ||
    !isJsonObject(body.order.merchant_reference)
  )
    return text
  const { order_ref_1: first } = body.order.merchant_reference
  if (typeof first !== 'string' || first === '') return text
  const references = { ...body.order.merchant_reference, order_ref_1: newReference(first) }
  return JSON.stringify({ ...body, order: { ...body.order, merchant_reference: references } })
}
