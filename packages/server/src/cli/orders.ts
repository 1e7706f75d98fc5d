// `plazo orders`: lists orders, and shows everything that operators may know about one, next to a
// running server.
import { once } from 'node:events'
import {
  agreementOf,
  deliveryView,
  errorMessage,
  explainOrder,
  explanationView,
  type HistoryLine,
  historyLine,
  type Money,
  nameOnWire,
  type Order,
  type OrderFilter,
  orderView,
  orderViewIn,
  personKey,
  REGIONS,
  STATES_ON_WIRE,
} from '@plazo/core/internal'
import { Option } from 'commander'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { lastAttempt } from '../api/deliveries/attempt-words.ts'
import { orderCsv, orderPages } from '../api/orders/order-export.ts'
import { FILTERS, readFilters } from '../api/orders/order-filters.ts'
import { ALL_DELIVERIES, showPersonalData } from '../api/orders/personal-data.ts'
import { eventNames, eventNote, eventWords, stateWords } from '../http/page/script/words.ts'
import { baseUrlOf, termsOf as serverTerms } from '../settings/config.ts'
import { type Json, PlazoCommand, requireMerchant, type Storage, withStorage } from './command.ts'
import { findOneOrder } from './find-order.ts'
import {
  escapeControls,
  onOneLine,
  type Row,
  refuse,
  say,
  sayList,
  valueOrRefuse,
  wholeNumber,
} from './terminal.ts'

type ListOptions = Json & {
  readonly [option in 'merchant' | 'state' | 'limit' | 'export' | 'samePersonAs']?: string
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
  const texts = Object.keys(FILTERS).flatMap((name) => {
    const value = options[attributeOf(name)]
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  const merchantRef =
    merchant === undefined ? undefined : (await requireMerchant(storage, merchant)).ref
  try {
    return { ...readFilters(Object.fromEntries(texts)), merchantRef, state }
  } catch (cause) {
    return refuse(errorMessage(cause).replace(/^\w+/, optionOf))
  }
}

const hashPerson = async (storage: Storage, reference?: string): Promise<string | undefined> => {
  if (reference === undefined) return undefined
  const order = await findOneOrder(storage, reference)
  const person = personKey(order)
  return person === null
    ? refuse(
        `--same-person-as is order ${order.placed.orderRef}, which has no phone and ID number: its shopper has not sent them, or was erased.`,
      )
    : storage.records.hash(person)
}

const LIMIT_MAX = 999_999_999
const LISTED_DEFAULT = 100

/** Waits for a reader that is slower than the database, so that memory stays bounded. */
const write = async (text: string): Promise<void> => {
  if (!process.stdout.write(escapeControls(text))) await once(process.stdout, 'drain')
}

const list = withStorage(async (storage, options: ListOptions) => {
  const { limit, json, export: format } = options
  const { orders } = storage.store
  const filter = {
    ...(await readFilterOptions(storage, options)),
    person: await hashPerson(storage, options.samePersonAs),
  }
  const count = limit === undefined ? undefined : wholeNumber('--limit', limit, LIMIT_MAX)
  if (format !== undefined) {
    for await (const part of orderCsv(orders, filter, count))
      await write(await valueOrRefuse(TE.fromEither(part)))
    return
  }
  const rows: Row[] = []
  for await (const page of orderPages(orders, filter, json ? count : (count ?? LISTED_DEFAULT))) {
    const found = await valueOrRefuse(TE.fromEither(page))
    if (json) await write(found.map((order) => `${JSON.stringify(orderView(order))}\n`).join(''))
    else rows.push(...found.map(orderRow))
  }
  if (!json)
    sayList(
      ['placed', 'order_ref', 'merchant', 'order_ref_1', 'state', 'product', 'amount'],
      rows,
      'No orders found.',
    )
})

/** One row of a list of orders, in one language. */
const orderRow = (order: Order): Row => {
  const { order_ref, order_ref_1, merchant, product, created_at, amount, reduced_from } =
    orderViewIn('en')(order)
  const price = reduced_from ? `${amount.string}, was ${reduced_from.string}` : amount.string
  const state = REGIONS.map((region) => nameOnWire(region, order.state)).join(' ')
  return [created_at, order_ref, merchant, order_ref_1, state, product, price]
}

const orderMissing = (): string => 'The order no longer exists.'

type ShowOptions = Json & { readonly personalData?: boolean }

/** Everything that operators may know of an order; the shopper's data only on request. Contract §3. */
const show = withStorage(
  async (storage, reference: string, { json, personalData }: ShowOptions) => {
    const { store, records, config, serviceClock: clock } = storage
    const order = await findOneOrder({ store }, reference)
    const { orderRef, merchant } = order.placed
    if (personalData) {
      const show = showPersonalData({ store, records, clock })
      return say(JSON.stringify(await valueOrRefuse(show(orderRef), orderMissing), null, 2))
    }
    const journal = await valueOrRefuse(store.journal(orderRef), orderMissing)
    // Reads all at once: a page would end early if its answers are long.
    const all = { merchantRef: merchant.ref, orderRef, state: null, before: null }
    const found = await valueOrRefuse(
      store.deliveries.list({ ...all, limit: ALL_DELIVERIES }),
      orderMissing,
    )
    const terms = serverTerms(config, baseUrlOf(config, config.port))
    const explained = await valueOrRefuse(
      explainOrder({ store, terms, clock })(order),
      orderMissing,
    )
    const details = {
      order: orderView(order),
      terms: termsOf(order),
      history: journal.map((line) => ({ ...historyLine(line), detail: line.detail })),
      deliveries: found.map(deliveryView),
      explanation: explanationView(order, explained),
    }
    if (json) return say(JSON.stringify(details))
    const { state, ...fields } = orderViewIn('en')(order)
    const { sentences } = details.explanation
    const sections = {
      [`Order ${orderRef}`]: [
        ...REGIONS.map((region) =>
          row(region, `${stateWords(region, state[region])} (${state[region]})`),
        ),
        ...Object.entries(fields).map(([name, value]) => row(name, value)),
      ],
      'Where it is, and what happens next': [
        ...sentences.where,
        ...sentences.awaits,
        sentences.by_itself,
      ],
      Terms: Object.entries(details.terms).map(([name, value]) => row(name, value)),
      'History, newest first': details.history.map(historyText).toReversed(),
      'Deliveries, newest first': details.deliveries
        .map((each) => `${each.id}  ${each.event}  ${each.state}  ${lastAttempt(each)}`)
        .toReversed(),
    }
    const texts = Object.entries(sections).map(([heading, lines]) =>
      [heading, ...lines.map((line) => `  ${onOneLine(line)}`)].join('\n'),
    )
    say(texts.join('\n\n'))
  },
)

/** The terms of the order. Everything except the agreement is fixed when the order is placed. */
const termsOf = (order: Order) => {
  const { merchant, notifyUrl, returnUrl, eventsWebhook } = order.placed
  return {
    instalment_count: agreementOf(order).instalmentCount,
    country: merchant.country,
    products: merchant.products,
    optional_fields: merchant.optionalFields,
    send_action_events_in_identification: merchant.sendsActionEvents,
    return_url: returnUrl,
    notify_url: notifyUrl,
    events_webhook: eventsWebhook?.url ?? null,
  }
}

type Value = string | number | boolean | null | readonly string[] | Money

const textOf = (value: Value): string => {
  if (value === null || typeof value !== 'object') return String(value ?? '')
  return 'string' in value ? value.string : value.join(', ')
}

const row = (name: string, value: Value): string => `${name.padEnd(17)} ${textOf(value) || '-'}`

const historyText = (it: HistoryLine): string => {
  const words = [eventWords(it), eventNote(it)].filter(Boolean).join(' · ')
  return `${it.at}  ${words}  (${eventNames(it)})`
}

export const ordersCommand = (): PlazoCommand => {
  const orders = new PlazoCommand('orders').description(
    'the orders of this database; the shoppers’ data only on request',
  )
  const listCommand = orders
    .command('list')
    .description('lists the newest orders')
    .option('--merchant <ref>', 'only of this merchant')
    .addOption(new Option('--state <state>', 'in any region').choices(STATES))
    .option('--same-person-as <reference>', 'with the phone and the ID number of this order')
    .option('--limit <count>', 'at most this many; default: 100, and all with --json or --export')
    .addOption(new Option('--export <format>').choices(['csv']))
    .option('--json', 'prints an order as JSON on each line')
    .examples(
      'plazo orders list --merchant demo --state reviewing',
      'plazo orders list --since 2026-01-01 --until 2026-02-01 --export csv > january.csv',
    )
    .action(list)
  for (const [name, [description]] of Object.entries(FILTERS))
    listCommand.option(`${optionOf(name)}${name === 'failing' ? '' : ' <value>'}`, description)
  orders
    .command('show')
    .description('shows an order: why it is there, what happens next, terms, history, deliveries')
    .orderArgument()
    .option(
      '--personal-data',
      'writes all data held about its shopper as JSON, and notes it in the history',
    )
    .json()
    .examples('plazo orders show A-1042', 'plazo orders show A-1042 --personal-data > person.json')
    .action(show)
  return orders
}
