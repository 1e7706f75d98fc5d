// `plazo deliveries`: lists and resends a merchant's deliveries, and sends examples, next to a
// running server. Contract §3.
import { addressGuard } from '@plazo/adapters/http'
import { systemIds } from '@plazo/adapters/system'
import {
  deliveryView,
  EXAMPLES,
  exampleView,
  listDeliveries,
  previewRecovery,
  type RecoveryPreview,
  recoverDeliveries,
  sendExample,
} from '@plazo/core'
import type { DeliveryFilter } from '@plazo/core/ports'
import { DELIVERY_STATES, INSTANT_FORMAT, instantOf } from '@plazo/core/protocol'
import { type Json, PlazoCommand, requireMerchant, withStorage } from '../command-line/command.ts'
import { findOneOrder } from '../command-line/find-order.ts'
import {
  endProgress,
  hint,
  refuseValue,
  requireYes,
  say,
  sayList,
  showProgress,
  valueOrRefuse,
  wholeNumber,
  type Yes,
} from '../command-line/terminal.ts'
import { BLOCKED_TODO, refusalTodo } from '../doctor/command.ts'
import { baseUrlOf, termsOf } from '../settings/config.ts'
import { lastAttempt } from './attempt-words.ts'

type OfMerchant = Json & { readonly merchant: string }

// Milliseconds between two pages, in which the server can commit.
const BETWEEN_PAGES = 20

type ListOptions = OfMerchant & { readonly limit: string } & {
  readonly [option in 'order' | 'state' | 'before']?: string
}

const list = withStorage(
  async (storage, { merchant, order, state, before, limit, json }: ListOptions) => {
    const stateFilter = DELIVERY_STATES.find((each) => each === state) ?? null
    if (state !== undefined && stateFilter === null)
      refuseValue('--state', state, `one of ${DELIVERY_STATES.join(', ')}`)
    const filter: DeliveryFilter = {
      merchantRef: (await requireMerchant(storage, merchant)).ref,
      orderRef: order === undefined ? null : (await findOneOrder(storage, order)).placed.orderRef,
      state: stateFilter,
      before: before ?? null,
      limit: wholeNumber('--limit', limit, 10_000),
    }
    const page = await valueOrRefuse(listDeliveries(storage.store)(filter), {
      DeliveryNotFound: () =>
        refuseValue('--before', filter.before ?? '', 'the id of a delivery of the merchant'),
    })
    const views = page.deliveries.map(deliveryView)
    if (page.next !== null) hint(`For older ones: --before ${page.next}`)
    if (json) return say(JSON.stringify(views))
    sayList(
      ['id', 'event', 'state', 'due', 'last attempt'],
      views
        .toReversed()
        .map((view) => [view.id, view.event, view.state, view.due_at, lastAttempt(view)]),
      'No deliveries found.',
    )
  },
)

const resend = withStorage(async ({ store, serviceClock }, id: string, { json }: Json) => {
  const unknown = () =>
    `Delivery ${id} not found. \`plazo deliveries list --merchant <ref>\` lists them.`
  const { placed } = await valueOrRefuse(store.read(id.slice(0, Math.max(0, id.indexOf(':')))), {
    OrderNotFound: unknown,
  })
  await valueOrRefuse(store.deliveries.resend(placed.merchant.ref, id, serviceClock.now()), {
    DeliveryNotFound: unknown,
    DeliveryErased: ({ message }) => message,
  })
  say(
    json
      ? JSON.stringify({ id })
      : `${id} is due now. The running server sends it within a second.`,
  )
})

type RecoverOptions = OfMerchant & Yes & { readonly since: string }

const ORDERS_NAMED = 10

const recoveryText = (
  merchantRef: string,
  since: number,
  { count, isExact, orderRefs }: RecoveryPreview,
): string => {
  const noun = count === 1 ? 'delivery' : 'deliveries'
  const others = orderRefs.length > ORDERS_NAMED ? ', among others' : ''
  return [
    `This sends the merchant ${merchantRef} again what was tried at ${new Date(since).toISOString()} or later and not accepted:`,
    `${isExact ? '' : 'at least '}${count} ${noun}, of the following orders${others}.`,
    ...orderRefs.slice(0, ORDERS_NAMED).map((orderRef) => `  - ${orderRef}`),
  ].join('\n')
}

const recover = withStorage(async (storage, { merchant, since, yes, json }: RecoverOptions) => {
  const sinceAt = instantOf(since) ?? refuseValue('--since', since, INSTANT_FORMAT)
  const { ref: merchantRef } = await requireMerchant(storage, merchant)
  const preview = await valueOrRefuse(previewRecovery(storage.store)(merchantRef, sinceAt), {
    DeliveryNotFound: () => [],
  })
  await requireYes(recoveryText(merchantRef, sinceAt, preview), yes)
  const count = await valueOrRefuse(
    recoverDeliveries({ store: storage.store, clock: storage.serviceClock })({
      merchantRef,
      since: sinceAt,
      onProgress: (soFar) => {
        showProgress(`${soFar} scheduled so far`)
        return new Promise((resolve) => setTimeout(resolve, BETWEEN_PAGES))
      },
    }),
  )
  endProgress()
  say(
    json
      ? JSON.stringify({ count })
      : `${count} deliveries are due now. The running server sends them again.`,
  )
})

type ExampleOptions = OfMerchant & { readonly event: string; readonly url: string }

const example = withStorage(async (storage, { merchant, event, url, json }: ExampleOptions) => {
  const name =
    EXAMPLES.find((each) => each === event) ??
    refuseValue('--event', event, `one of ${EXAMPLES.join(', ')}`)
  if (!URL.canParse(url)) refuseValue('--url', url, 'an http or https URL')
  const { ref: merchantRef } = await requireMerchant(storage, merchant)
  const { config, merchants, serviceClock: clock } = storage
  const { openGateway } = await import('./gateway.ts')
  const { gateway, urls } = openGateway(
    config,
    {},
    {
      secretsOf: (ref) => merchants.liveSecrets(ref, clock.now()),
      realNow: Date.now,
    },
  )
  const terms = termsOf(config, baseUrlOf(config, config.port))
  const sender = { clock, gateway, checkUrl: urls.checkUrl, ids: systemIds, terms }
  try {
    const result = await valueOrRefuse(sendExample(sender)(merchantRef, name, url), {
      Refused: ({ sentences }) => {
        const refusal = addressGuard({
          allowsLocal: config.policy.allowsLocal,
          allow: config.webhookAllow,
        }).findRefusal(url)
        const advice = refusal === null ? [] : [refusalTodo(refusal)]
        return `--url is ${JSON.stringify(url)}: ${[...sentences, ...advice].join(' ')}`
      },
    })
    const view = exampleView(result)
    if (view.outcome !== 'accepted') process.exitCode = 1
    if (json) return say(JSON.stringify(view))
    const { outcome, status, error, error_reason, duration_ms, response } = view
    say([outcome, status, error, `${duration_ms} ms`].filter((part) => part !== null).join(' '))
    if (error_reason !== null) say(error_reason)
    if (response !== null && response !== '') say(response)
    if (error === 'blocked_address') hint(BLOCKED_TODO)
  } finally {
    gateway.close()
  }
})

export const deliveriesCommand = (): PlazoCommand => {
  const deliveries = new PlazoCommand('deliveries').description('events and IPNs sent to merchants')
  deliveries
    .command('list')
    .description(
      'lists the newest first, with their last attempt; --json shows all attempts, the newest last',
    )
    .merchantOption()
    .orderOption('only of this order')
    .option('--state <state>', DELIVERY_STATES.join(', '))
    .option('--before <id>', 'only deliveries created before this one: the next page')
    .option('--limit <count>', 'at most this many, and at most 100', '100')
    .json()
    .examples(
      'plazo deliveries list --merchant demo --state exhausted',
      'plazo deliveries list --merchant demo --order A-1042 --json',
    )
    .action(list)
  deliveries
    .command('resend')
    .description('sends a delivery again: a pending one now, any other one once more')
    .argument('<id>', 'its id (the Webhook-Id)')
    .json()
    .notes('The running server sends it within a second.')
    .examples('plazo deliveries resend 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:12:notice')
    .action(resend)
  deliveries
    .command('recover')
    .description('sends all deliveries again that were not accepted since an instant')
    .merchantOption()
    .requiredOption('--since <instant>', INSTANT_FORMAT)
    .asksFirst()
    .json()
    .examples(
      'plazo deliveries recover --merchant demo --since 2026-01-31T12:00:00Z',
      'plazo deliveries recover --merchant demo --since 2026-01-31T12:00:00Z --yes --json',
    )
    .action(recover)
  deliveries
    .command('example')
    .description('sends a signed example of an event and shows the response')
    .merchantOption()
    .requiredOption('--event <event>', EXAMPLES.join(', '))
    .requiredOption('--url <url>', 'the receiver’s URL')
    .json()
    .examples(
      'plazo deliveries example --merchant demo --event cancel --url http://127.0.0.1:8080/events',
    )
    .action(example)
  return deliveries
}
