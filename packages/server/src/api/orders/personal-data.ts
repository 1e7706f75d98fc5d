// A person may ask which data is held about them. The answer has the categories that an erasure
// destroys, so that neither knows of more than the other. The history says it first, so that no
// answer is missing there.
import {
  addLine,
  type Clock,
  deliveryView,
  type FullStore,
  isJsonObject,
  operatorDetail,
  type Records,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** More than one order ever has. */
export const ALL_DELIVERIES = 10_000

// Whoever has these can go on with the checkout, or pay. They say nothing about a person.
const CREDENTIALS = ['code', 'token', 'providerUrl']
/** The pages where the shopper pays or shows their ID, in a body that was sent to the merchant. */
const PAGE_URLS = /(?<="(?:iframe|session)_url":")[^"]*/gu
const HIDDEN = '[hidden]'

/** A stored value in the form of the API, without credentials. */
const shown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value === 'string') return value.replaceAll(PAGE_URLS, HIDDEN)
  if (!isJsonObject(value)) return value
  const shownMember = (name: string, member: unknown): unknown => {
    if (name === 'text' && value.code) return String(member).replaceAll(String(value.code), HIDDEN)
    if (typeof member === 'number' && name.endsWith('At')) return new Date(member).toISOString()
    return shown(member)
  }
  const members = Object.entries(value).filter(([name]) => !CREDENTIALS.includes(name))
  return Object.fromEntries(
    members.map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      shownMember(name, member),
    ]),
  )
}

/**
 * Notes in the history of an order that its shopper's data was shown, and returns this data as JSON.
 * `operator`: the name of the operator, if they have one.
 */
export const showPersonalData =
  ({
    store,
    records,
    clock,
  }: {
    readonly store: FullStore
    readonly records: Pick<Records, 'list'>
    readonly clock: Clock
  }) =>
  (orderRef: string, operator?: string) =>
    pipe(
      TE.Do,
      TE.bindW('order', () =>
        store.step(orderRef, (order) => {
          const at = Math.max(clock.now(), order.context.updatedAt)
          const detail = operatorDetail(operator)
          const step = addLine(order, { at, event: 'shopper.shown', detail, input: null })
          return E.right({ step, answer: order })
        }),
      ),
      TE.bindW('payload', () => store.inspection.payload(orderRef)),
      TE.bindW('lines', () => store.journal(orderRef)),
      TE.bindW('requests', () => store.inspection.requests(orderRef)),
      TE.bindW('deliveries', ({ order }) =>
        store.deliveries.list({
          merchantRef: order.placed.merchant.ref,
          orderRef,
          state: null,
          before: null,
          limit: ALL_DELIVERIES,
          responses: ALL_DELIVERIES,
        }),
      ),
      TE.bindW('records', () => records.list({ orderRef })),
      TE.map(({ order, payload, lines, requests, deliveries, records: kept }) => {
        const { person, otp, session, payments, cards } = order.context
        const [saved, others] = [true, false].map((isCard) =>
          kept.filter(({ kind }) => (kind === 'card') === isCard).map(({ value }) => value),
        )
        return {
          order_ref: orderRef,
          person: shown({
            ...person,
            otp: otp.issuedAt && otp,
            session,
            payments,
            messages: others,
          }),
          payload: payload && JSON.parse(payload),
          inputs: lines.flatMap(({ seq, at, input }) =>
            input === null
              ? []
              : {
                  seq,
                  at: new Date(at).toISOString(),
                  // The url is a provider's.
                  event: shown({ ...input.event, url: undefined }),
                },
          ),
          deliveries: deliveries
            .filter(({ id }) => requests.has(id))
            .map((each) => ({ ...deliveryView(each), request: shown(requests.get(each.id)) })),
          cards: shown([...cards, ...(saved ?? [])]),
        }
      }),
    )
