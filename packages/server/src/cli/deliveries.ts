// `plazo deliveries`: lists a merchant's deliveries, follows their attempts, sends again what was not
// accepted, and retries stuck jobs, next to a running server. Contract §3, §6.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttemptView,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryView,
  deliveryView,
  INSTANT_FORMAT,
  instantOf,
  listDeliveries,
  previewRecovery,
  recoverDeliveries,
} from '@plazo/core/internal'
import { Option } from 'commander'
import { attemptWords, lastAttempt } from '../api/deliveries/attempt-words.ts'
import { type Json, PlazoCommand, requireMerchant, type Storage, withStorage } from './command.ts'
import { findOneOrder } from './find-order.ts'
import {
  hint,
  refuseValue,
  requireYes,
  say,
  sayList,
  valueOrRefuse,
  wholeNumber,
  type Yes,
} from './terminal.ts'

type OfMerchant = Json & { readonly merchant: string }

// Milliseconds between two pages, in which the server can commit.
const BETWEEN_PAGES = 20

type ListOptions = OfMerchant & { readonly limit: string; readonly follow?: boolean } & {
  readonly [option in 'order' | 'before']?: string
} & { readonly state?: DeliveryView['state'] }

// Real milliseconds between two looks at the deliveries.
const FOLLOW_EVERY = 1_000

/** An attempt that has ended, for a terminal: what came of it, and the shop's answer. */
const attemptText = ({ event, order_ref }: DeliveryView, attempt: AttemptView): string => {
  const head = `${attempt.started_at}  ${event} of ${order_ref}, attempt ${attempt.n}: ${attemptWords(event, attempt)}`
  const answer = (attempt.response ?? '').trim()
  return answer === '' ? head : `${head}\n  ${answer.replaceAll('\n', '\n  ')}`
}

const gone = (): string => 'The delivery no longer exists.'

/** Prints each attempt of the newest deliveries as it ends, until the command is interrupted. */
const followAttempts = async (
  { store }: Storage,
  filter: DeliveryFilter,
  json = false,
): Promise<never> => {
  let printedKeys: ReadonlySet<string> | null = null
  for (;;) {
    const page = await valueOrRefuse(listDeliveries(store)(filter), gone)
    const ended = page.deliveries.flatMap(({ id, attempts }) =>
      attempts.map(({ n }) => ({ key: `${id} ${n}`, id, n })),
    )
    for (const { key, id, n } of ended) {
      if (printedKeys === null || printedKeys.has(key)) continue
      // Several attempts may have ended since the last look, and a list has only the last answer.
      const found = store.deliveries.find(filter.merchantRef, id)
      const view = deliveryView(await valueOrRefuse(found, gone))
      for (const attempt of view.attempts.filter((each) => each.n === n))
        say(json ? JSON.stringify({ ...view, attempts: [attempt] }) : attemptText(view, attempt))
    }
    printedKeys = new Set(ended.map(({ key }) => key))
    await sleep(FOLLOW_EVERY)
  }
}

const list = withStorage(
  async (storage, { merchant, order, state, before, limit, follow, json }: ListOptions) => {
    const filter: DeliveryFilter = {
      merchantRef: (await requireMerchant(storage, merchant)).ref,
      orderRef: order === undefined ? null : (await findOneOrder(storage, order)).placed.orderRef,
      state: state ?? null,
      before: before ?? null,
      limit: wholeNumber('--limit', limit, 10_000),
    }
    if (follow) return followAttempts(storage, filter, json)
    const page = await valueOrRefuse(listDeliveries(storage.store)(filter), () =>
      refuseValue('--before', filter.before ?? '', 'the id of a delivery of the merchant'),
    )
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

/** Lists the stuck jobs, or runs one of them again. Contract §6, Stuck. */
const retry = withStorage(
  async ({ store, serviceClock }, key: string | undefined, { json }: Json) => {
    if (key === undefined) {
      const stuck = await valueOrRefuse(store.stuckJobs())
      const views = stuck.map((job) => ({
        key: job.key,
        order_ref: job.orderRef,
        message: job.message,
      }))
      return json
        ? say(JSON.stringify(views))
        : sayList(['key', 'order_ref', 'message'], views.map(Object.values), 'No job is stuck.')
    }
    await valueOrRefuse(
      store.retryStuckJob(key, serviceClock.now()),
      () =>
        `No stuck job has the key ${JSON.stringify(key)}. \`plazo deliveries retry\` lists all stuck jobs.`,
    )
    say(json ? JSON.stringify({ key, released: true }) : `${key} is due now.`)
  },
)

type RecoverOptions = OfMerchant & Yes & { readonly since: string }

const recover = withStorage(async (storage, { merchant, since, yes, json }: RecoverOptions) => {
  const sinceAt = instantOf(since) ?? refuseValue('--since', since, INSTANT_FORMAT)
  const { ref: merchantRef } = await requireMerchant(storage, merchant)
  const { count: expected, isExact } = await valueOrRefuse(
    previewRecovery(storage.store)(merchantRef, sinceAt),
  )
  await requireYes(
    `This sends the merchant ${merchantRef} again what was tried at ${new Date(sinceAt).toISOString()} or later and not accepted: ${isExact ? '' : 'at least '}${expected} deliveries.`,
    yes,
  )
  const count = await valueOrRefuse(
    recoverDeliveries({ store: storage.store, clock: storage.serviceClock })({
      merchantRef,
      since: sinceAt,
      onProgress: () => sleep(BETWEEN_PAGES),
    }),
  )
  say(
    json
      ? JSON.stringify({ count })
      : `${count} deliveries are due now. The running server sends them again.`,
  )
})

export const deliveriesCommand = (): PlazoCommand => {
  const deliveries = new PlazoCommand('deliveries').description('events and IPNs sent to merchants')
  deliveries
    .command('list')
    .description('lists the newest first, with their last attempt; --json shows all attempts')
    .merchantOption()
    .option('--order <reference>', 'only of this order, as `plazo orders show` finds it')
    .addOption(new Option('--state <state>').choices(DELIVERY_STATES))
    .option('--before <id>', 'only older ones than this: the next page')
    .option('--limit <count>', 'at most this many, and at most 100', '100')
    .option('--follow', 'prints each attempt as it ends, until Ctrl-C')
    .json('; with --follow, an attempt on each line')
    .examples('plazo deliveries list --merchant demo --state exhausted')
    .action(list)
  deliveries
    .command('recover')
    .description('sends all deliveries again that were not accepted since an instant')
    .merchantOption()
    .requiredOption('--since <instant>', INSTANT_FORMAT)
    .asksFirst()
    .json()
    .examples('plazo deliveries recover --merchant demo --since 2026-01-31T12:00:00Z')
    .action(recover)
  deliveries
    .command('retry')
    .description('lists the jobs of any kind that are stuck, or runs one again')
    .argument('[key]', 'of the job to run again; fix the error first')
    .json(': [{key, order_ref, message}], or {key, released} with a key')
    .examples('plazo deliveries retry 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening')
    .action(retry)
  return deliveries
}
