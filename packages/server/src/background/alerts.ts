// An operator must learn about jobs that were given up or are stuck, and about waits that are too
// long. Each becomes a log line with an `alert` field to filter by. Contract §6.
import type { SlowMerchant } from '@plazo/adapters/host'
import type { EffectResult } from '@plazo/core'
import type {
  CompletionResult,
  FullStore,
  HistoryPage,
  Job,
  PublicJournalLine,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { jobFields, type Log } from '../log/log.ts'

type Outcome = Pick<EffectResult, 'event' | 'error'>

const DAY = 86_400_000
const WEEK = 7 * DAY
const LOGGED_DAYS_MAX = 10_000

// Number of history lines read at once.
const PAGE = 200

const NEGOTIATING = new Set(['asking', 'waiting'])

const startsAsking = ({ from, to }: PublicJournalLine): boolean =>
  to.cancellation === 'asking' && !NEGOTIATING.has(from.cancellation)

const isCancel = ({ payload }: Job): boolean =>
  payload.kind === 'event' && payload.event === 'cancel'

// These are retried forever: a shopper's money, or the risk assessment of an order, depends on a
// provider.
const isRetriedForever = ({ payload }: Job): boolean =>
  payload.kind === 'refund' || payload.kind === 'void' || payload.kind === 'risk'

// No operator made this request, so nobody sees its answer: it comes in the same step, without a
// call to the merchant.
const mayRequestCancellation = ({ event }: Outcome): boolean =>
  event?.type === 'cancellation.advised' ||
  (event?.type === 'timer.fired' && event.timer.startsWith('cancelDelay'))

/** Resolves once every alert for a job's result has been logged. */
type AlertCompletion = (job: Job, result: Outcome, completion: CompletionResult) => Promise<void>

export const createAlerts = (store: Pick<FullStore, 'history'>, log: Log): AlertCompletion => {
  // By order: the day, in domain time, on which its wait was last logged.
  const lastLoggedDay = new Map<string, number>()

  const newestLine = async (orderRef: string): Promise<PublicJournalLine | undefined> => {
    const page = await store.history(orderRef, null, 1)()
    return E.isRight(page) ? page.right.lines[0] : undefined
  }

  /**
   * When the merchant was first asked about the cancellation that is still open, even if `retry`
   * answers came since. Null if none is open. Reads the history from its newest line, page by page:
   * an order may have tens of thousands of lines.
   */
  const askedAt = async (orderRef: string): Promise<number | null> => {
    if (!NEGOTIATING.has((await newestLine(orderRef))?.to.cancellation ?? '')) return null
    for (let from: number | null = null; ; ) {
      const page: E.Either<unknown, HistoryPage> = await store.history(orderRef, from, PAGE)()
      if (E.isLeft(page)) return null
      const firstAsk = page.right.lines.find(startsAsking)
      if (firstAsk !== undefined) return firstAsk.at
      if (page.right.next === null) return null
      from = page.right.next
    }
  }

  const logLongWait = async (job: Job): Promise<void> => {
    const { orderRef, startedAt } = job
    const since = await askedAt(orderRef)
    const today = Math.floor(startedAt / DAY)
    if (since === null || startedAt - since <= WEEK || lastLoggedDay.get(orderRef) === today) return
    if (lastLoggedDay.size >= LOGGED_DAYS_MAX) lastLoggedDay.clear()
    lastLoggedDay.set(orderRef, today)
    log('cancel_waiting', { ...jobFields(job), days: Math.floor((startedAt - since) / DAY) })
  }

  return async (job, result, completion) => {
    const { orderRef, startedAt, firstAt } = job
    const { event, error } = result
    const fields = jobFields(job)

    if (completion === 'stuck') return log('stuck', fields)
    if (completion === 'lost') return
    if (completion === 'exhausted') log('exhausted', { ...fields, reason: error })
    if (completion === 'unsupported') log('unsupported', fields)
    if (event?.type === 'cancel.refused' && event.lateByMinutes === null)
      log('toolate_without_minutes', fields)
    if (
      error !== null &&
      completion === 'retry' &&
      isRetriedForever(job) &&
      startedAt - firstAt >= WEEK
    )
      log('failing', { ...fields, reason: error })
    if (isCancel(job)) await logLongWait(job)
    if (
      mayRequestCancellation(result) &&
      (await newestLine(orderRef))?.to.cancellation === 'unsupported'
    )
      log('unsupported', fields)
  }
}

/** Real milliseconds. */
const SLOW_FOR = 60_000
const REPEAT_AFTER = 3_600_000

type LastAlert = { readonly count: number; readonly at: number }

/**
 * Alerts an operator to merchants that have not answered in time for a while. Only their own orders
 * wait, and only somebody who talks to them can change that. Call it after each slow attempt. It
 * logs a line when merchants have been slow for a minute, and again after an hour or once twice as
 * many are slow. Contract §6.
 */
export const createSlowMerchantsAlert = (
  log: Log,
  /** True: the merchant may be slow on purpose. */
  isIntended: (merchantRef: string) => boolean = () => false,
): ((merchants: readonly SlowMerchant[], now: number) => void) => {
  let lastAlert: LastAlert | null = null

  return (merchants, now) => {
    const slow = merchants.flatMap(({ merchantRef, slowSince }) =>
      slowSince !== null && now - slowSince >= SLOW_FOR && !isIntended(merchantRef)
        ? [{ merchantRef, slowSince }]
        : [],
    )
    const count = new Set(slow.map(({ merchantRef }) => merchantRef)).size
    if (count === 0) {
      lastAlert = null
      return
    }
    if (lastAlert !== null && count < 2 * lastAlert.count && now - lastAlert.at < REPEAT_AFTER)
      return
    lastAlert = { count, at: now }
    const [longest] = slow.toSorted((a, b) => a.slowSince - b.slowSince)
    log('slow_merchants', { count, merchant_ref: longest?.merchantRef ?? null })
  }
}
