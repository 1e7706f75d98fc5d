// `plazo orders`: lists orders, and shows everything that operators may know about one, next to a
// running server.
import { once } from 'node:events'
import {
  agreementOf,
  deliveryView,
  explainOrder,
  explanationView,
  historyLine,
  type JournalLine,
  type Order,
  type OrderFilter,
  orderView,
  orderViewIn,
  STATES_ON_WIRE,
} from '@plazo/core'
import { metaOf, nameOnWire, REGIONS } from '@plazo/core/machine'
import type { Delivery } from '@plazo/core/ports'
import { type ExplanationView, type HistoryLine, money } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Json,
  PlazoCommand,
  requireMerchant,
  type Storage,
  withStorage,
} from '../command-line/command.ts'
import { findOneOrder } from '../command-line/find-order.ts'
import {
  escapeControls,
  onOneLine,
  type Row,
  refuse,
  refuseValue,
  say,
  sayList,
  valueOrRefuse,
  wholeNumber,
} from '../command-line/terminal.ts'
import { lastAttempt } from '../deliveries/attempt-words.ts'
import { eventNames, eventNote, eventWords, stateWords } from '../http/page/script/words.ts'
import { baseUrlOf, termsOf as serverTerms } from '../settings/config.ts'
import { orderCsv, orderPages } from './order-export.ts'
import { FILTERS, readFilters } from './order-filters.ts'

type ListOptions = Json & {
  readonly [option in 'merchant' | 'state' | 'limit' | 'export']?: string
} & { readonly [filter in string]?: string | boolean }

/** `changed_since` is the option `--changed-since`, whose value commander calls `changedSince`. */
const optionOf = (filter: string): string => `--${filter.replace('_', '-')}`
const attributeOf = (filter: string): string =>
  filter.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())

/** Every state of any region, by its name on the wire. */
const STATES = [...new Set(Object.values(STATES_ON_WIRE).flat())]

const readFilterOptions = async (
  storage: Storage,
  { merchant, state, ...options }: ListOptions,
): Promise<OrderFilter> => {
  if (state !== undefined && !STATES.includes(state))
    refuseValue('--state', state, `one of ${STATES.join(', ')}`)
  const found = merchant === undefined ? null : await requireMerchant(storage, merchant)
  const texts = Object.keys(FILTERS).flatMap((name) => {
    const value = options[attributeOf(name)]
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  const filters = readFilters(Object.fromEntries(texts))
  if (E.isLeft(filters)) return refuse(filters.left.detail.replace(/^\w+/, optionOf))
  return { ...filters.right, merchantRef: found?.ref ?? null, state: state ?? null }
}

const ANY_NUMBER = 999_999_999
const LISTED_DEFAULT = 100
const LISTED_MAX = 10_000

/** Waits for a reader that is slower than the database, so that memory stays bounded. */
const write = async (text: string): Promise<void> => {
  if (!process.stdout.write(escapeControls(text))) await once(process.stdout, 'drain')
}

const list = withStorage(async (storage, options: ListOptions) => {
  const { limit, json, export: format } = options
  const { orders } = storage.store
  if (format !== undefined && format !== 'csv') return refuseValue('--export', format, 'csv')
  const filter = await readFilterOptions(storage, options)
  const isStreamed = format !== undefined || json === true
  const count =
    limit === undefined
      ? undefined
      : wholeNumber('--limit', limit, isStreamed ? ANY_NUMBER : LISTED_MAX)
  if (format !== undefined) {
    for await (const part of orderCsv(orders, filter, count))
      await write(await valueOrRefuse(TE.fromEither(part)))
    return
  }
  const listed: Order[] = []
  for await (const page of orderPages(
    orders,
    filter,
    isStreamed ? count : (count ?? LISTED_DEFAULT),
  )) {
    const found = await valueOrRefuse(TE.fromEither(page))
    if (json) await write(found.map((order) => `${JSON.stringify(orderView(order))}\n`).join(''))
    else listed.push(...found)
  }
  if (!json) sayList(ORDER_HEADS, listed.map(orderRow), 'No orders found.')
})

// More than one order ever has.
const ALL_DELIVERIES = 10_000

const show = withStorage(async (storage, reference: string, { json }: Json) => {
  const { store, config, serviceClock: clock } = storage
  const order = await findOneOrder({ store }, reference)
  const { orderRef, merchant } = order.placed
  const orderMissing = () => 'The order no longer exists.'
  const journal = await valueOrRefuse(store.journal(orderRef), { OrderNotFound: orderMissing })
  const filter = {
    merchantRef: merchant.ref,
    orderRef,
    state: null,
    before: null,
    limit: ALL_DELIVERIES,
  }
  // Reads all at once: a page would end early if its answers are long.
  const deliveries = await valueOrRefuse(store.deliveries.list(filter), {
    DeliveryNotFound: orderMissing,
  })
  const terms = serverTerms(config, baseUrlOf(config, config.port))
  const explanation = await valueOrRefuse(explainOrder({ store, terms, clock })(order), {
    OrderNotFound: orderMissing,
    DeliveryNotFound: orderMissing,
  })
  const details = {
    ...orderDetails(order, journal, deliveries),
    explanation: explanationView(order, explanation, { language: 'en', isForMerchant: false }),
  }
  say(json ? JSON.stringify(details) : orderDetailsText(details))
})

export const ordersCommand = (): PlazoCommand => {
  const orders = new PlazoCommand('orders').description(
    'the orders of this database, without the shoppers’ data',
  )
  const listCommand = orders
    .command('list')
    .description('lists the newest orders')
    .option('--merchant <ref>', 'only of this merchant')
    .option('--state <state>', 'a state of the checkout, the risk or the cancellation')
    .option('--limit <count>', 'at most this many; default: 100, and all with --json or --export')
    .option('--export <format>', 'csv, with headings')
    .option('--json', 'prints an order as JSON on each line')
    .notes(`States: ${STATES.join(', ')}`)
    .examples(
      'plazo orders list --merchant demo --state reviewing',
      'plazo orders list --search A-10 --failing',
      'plazo orders list --since 2026-01-31 --json > orders.jsonl',
      'plazo orders list --since 2026-01-01 --until 2026-02-01 --export csv > january.csv',
    )
    .action(list)
  for (const [name, [description]] of Object.entries(FILTERS))
    listCommand.option(`${optionOf(name)}${name === 'failing' ? '' : ' <value>'}`, description)
  orders
    .command('show')
    .description(
      'shows an order: state, why it is there and what happens next, terms, history, deliveries; the newest first',
    )
    .orderArgument()
    .json()
    .examples('plazo orders show 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10', 'plazo orders show A-1042')
    .action(show)
  return orders
}

/** The terms of the order. Everything except the agreement is fixed when the order is placed. */
const termsOf = (order: Order) => {
  const { merchant, notifyUrl, returnUrl, eventsWebhook, currency, total } = order.placed
  const { product, instalmentCount } = agreementOf(order)
  return {
    product,
    instalment_count: instalmentCount,
    total,
    currency,
    merchant: {
      ref: merchant.ref,
      country: merchant.country,
      products: merchant.products,
      optional_fields: merchant.optionalFields,
      send_action_events_in_identification: merchant.sendsActionEvents,
    },
    return_url: returnUrl,
    notify_url: notifyUrl,
    events_webhook: eventsWebhook === null ? null : { url: eventsWebhook.url },
  }
}

/** An operator's sheet of an order. It never contains the shopper's data. Contract §3. */
const orderDetails = (
  order: Order,
  journal: readonly JournalLine[],
  deliveries: readonly Delivery[],
) => ({
  order: orderView(order),
  captions: {
    checkout: metaOf('checkout', order.state).caption,
    risk: metaOf('risk', order.state).caption,
    cancellation: metaOf('cancellation', order.state).caption,
  },
  terms: termsOf(order),
  history: journal.map((each) => ({ ...historyLine(each), detail: each.detail })),
  deliveries: deliveries.map(deliveryView),
})

type OrderDetails = ReturnType<typeof orderDetails> & {
  readonly explanation: ExplanationView
}

const WIDTH = 16

const row = (name: string, value: string): string => `  ${name.padEnd(WIDTH)}${onOneLine(value)}`

const line = (it: HistoryLine): string => {
  const words = [eventWords(it), eventNote(it)].filter(Boolean).join(' · ')
  return onOneLine(`  ${it.at}  ${words}  (${eventNames(it)})`)
}

/** In one language, so that a list of orders reads the same in every line. */
const readableAmount = (total: number, currency: string): string =>
  money(total, currency, 'en').string

/** A text for people; `--json` prints everything. */
const orderDetailsText = ({
  order,
  captions,
  terms,
  history,
  deliveries,
  explanation: { sentences },
}: OrderDetails): string =>
  [
    `Order ${order.order_ref}`,
    ...REGIONS.map((region) => {
      const name = order.state[region]
      return row(region, `${stateWords(region, name)}: ${captions[region]} (${name})`)
    }),
    ...(order.late_by === null ? [] : [row('late by', `${order.late_by} min`)]),
    row('order_ref_1', order.order_ref_1 || 'none'),
    row('order_ref_2', order.order_ref_2 || 'none'),
    row('placed', order.created_at),
    row('last change', order.updated_at),
    '',
    'Why it is here, and what happens next',
    ...[...sentences.where, ...sentences.awaits, sentences.by_itself, ...sentences.may].map(
      (each) => `  ${onOneLine(each)}`,
    ),
    '',
    'Terms',
    row('merchant', `${terms.merchant.ref}, country ${terms.merchant.country ?? 'none'}`),
    row('amount', readableAmount(order.amount.value, terms.currency)),
    ...(order.reduced_from === undefined
      ? []
      : [row('reduced from', `${readableAmount(terms.total, terms.currency)}, by the merchant`)]),
    ...(order.refunded === undefined
      ? []
      : [row('refunded', readableAmount(order.refunded.value, terms.currency))]),
    row(
      'product',
      `${terms.product}, ${terms.instalment_count} ${terms.instalment_count === 1 ? 'instalment' : 'instalments'}, of ${terms.merchant.products.join(', ')}`,
    ),
    row('optional fields', terms.merchant.optional_fields.join(', ') || 'none'),
    row(
      'action events',
      terms.merchant.send_action_events_in_identification ? 'pushed' : 'not pushed',
    ),
    row('return_url', terms.return_url),
    row('notify_url', terms.notify_url ?? 'none'),
    row('events_webhook', terms.events_webhook?.url ?? 'none'),
    '',
    'History, newest first',
    ...history.map(line).toReversed(),
    '',
    'Deliveries, newest first',
    ...(deliveries.length === 0 ? ['  none'] : []),
    ...deliveries
      .map((each) => `  ${each.id}  ${each.event}  ${each.state}  ${lastAttempt(each)}`)
      .toReversed(),
  ].join('\n')

const ORDER_HEADS = ['placed', 'order_ref', 'merchant', 'order_ref_1', 'state', 'product', 'amount']

/** One row of a list of orders. */
const orderRow = (order: Order): Row => {
  const { order_ref, order_ref_1, merchant, product, created_at, amount, reduced_from } =
    orderViewIn('en')(order)
  const price =
    reduced_from === undefined ? amount.string : `${amount.string}, was ${reduced_from.string}`
  const state = REGIONS.map((region) => nameOnWire(region, order.state)).join(' ')
  return [created_at, order_ref, merchant, order_ref_1, state, product, price]
}
