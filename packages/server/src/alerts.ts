// An operator must learn about jobs that were given up or are stuck, and about waits that are too long. Each becomes a log line
// with an `alert` field to filter by. Contract §6.
import type { CompletionResult, Entry, HistoryPage, Result, ShownLine, Store } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { entryFields, type Log } from './log/log.ts'

type Outcome = Pick<Result, 'event' | 'error'>

type Alerts = {
  /** Resolves once every alert for this result has been logged. */
  readonly settled: (entry: Entry, result: Outcome, settled: CompletionResult) => Promise<void>
}

const DAY = 86_400_000
const WEEK = 7 * DAY
const REMEMBERED_MAX = 10_000

// Number of history lines read at once.
const PAGE = 200

const NEGOTIATING = new Set(['asking', 'waiting'])

const beginsToAsk = ({ from, to }: ShownLine): boolean =>
  to.cancellation === 'asking' && !NEGOTIATING.has(from.cancellation)

const isCancel = ({ work }: Entry): boolean => work.kind === 'event' && work.event === 'cancel'

// These are retried forever: a shopper's money, or the risk assessment of an order, depends on a provider.
const goesOnForever = ({ work }: Entry): boolean =>
  work.kind === 'refund' || work.kind === 'void' || work.kind === 'risk'

// No operator made this request, so nobody sees its answer: it comes in the same step, without a call to the merchant.
const mayAskByItself = ({ event }: Outcome): boolean =>
  event?.type === 'cancellation.advised' || (event?.type === 'timer.fired' && event.timer.startsWith('cancelDelay'))

export const alerting = (store: Pick<Store, 'history'>, log: Log): Alerts => {
  // By order: the day, in domain time, on which its wait was last logged.
  const told = new Map<string, number>()

  const newestLine = async (orderRef: string): Promise<ShownLine | undefined> => {
    const page = await store.history(orderRef, null, 1)()
    return E.isRight(page) ? page.right.lines[0] : undefined
  }

  /**
   * When the merchant was first asked about the cancellation that is still open, even if `retry` answers came since. Null if
   * none is open. Reads the history from its newest line, page by page: an order may have tens of thousands of lines.
   */
  const askedAt = async (orderRef: string): Promise<number | null> => {
    if (!NEGOTIATING.has((await newestLine(orderRef))?.to.cancellation ?? '')) return null
    for (let from: number | null = null; ; ) {
      const page: E.Either<unknown, HistoryPage> = await store.history(orderRef, from, PAGE)()
      if (E.isLeft(page)) return null
      const begun = page.right.lines.find(beginsToAsk)
      if (begun !== undefined) return begun.at
      if (page.right.next === null) return null
      from = page.right.next
    }
  }

  const tellOfWaiting = async (entry: Entry): Promise<void> => {
    const { orderRef, startedAt } = entry
    const since = await askedAt(orderRef)
    const today = Math.floor(startedAt / DAY)
    if (since === null || startedAt - since <= WEEK || told.get(orderRef) === today) return
    if (told.size >= REMEMBERED_MAX) told.clear()
    told.set(orderRef, today)
    log('cancel_waiting', { ...entryFields(entry), days: Math.floor((startedAt - since) / DAY) })
  }

  return {
    settled: async (entry, result, settled) => {
      const { orderRef, startedAt, firstAt } = entry
      const { event, error } = result
      const fields = entryFields(entry)

      if (settled === 'stuck') return log('stuck', fields)
      if (settled === 'lost') return
      if (settled === 'exhausted') log('exhausted', { ...fields, reason: error })
      if (settled === 'unsupported') log('unsupported', fields)
      if (event?.type === 'cancel.refused' && event.lateByMinutes === null) log('toolate_without_minutes', fields)
      if (error !== null && settled === 'again' && goesOnForever(entry) && startedAt - firstAt >= WEEK)
        log('failing', { ...fields, reason: error })
      if (isCancel(entry)) await tellOfWaiting(entry)
      if (mayAskByItself(result) && (await newestLine(orderRef))?.to.cancellation === 'unsupported')
        log('unsupported', fields)
    },
  }
}
