// What an operator must hear of, as lines of the log with an `alert` to filter by: what gave up, is parked, or waits for
// too long. Contract §6.
import type { Entry, JournalLine, Result, Settled, Store } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'

export type AlertLog = {
  readonly [level in 'warn' | 'error']: (fields: Readonly<Record<string, unknown>>, message: string) => void
}

type Outcome = Pick<Result, 'event' | 'conclusion' | 'error'>

export type Alerts = {
  /** Ends when what is to be said has been said. */
  readonly settled: (entry: Entry, result: Outcome, settled: Settled) => Promise<void>
}

const DAY = 86_400_000
const WEEK = 7 * DAY
const REMEMBERED_MAX = 10_000

const NEGOTIATING = new Set(['asking', 'waiting'])

/** When the question that still stands was first asked, `retry` answers or not; null where none stands. */
const askedAt = (journal: readonly JournalLine[]): number | null => {
  if (!NEGOTIATING.has(journal.at(-1)?.to.cancellation ?? '')) return null
  const first = journal.findLast(({ from, to }) => to.cancellation === 'asking' && !NEGOTIATING.has(from.cancellation))
  return first?.at ?? null
}

const isCancel = ({ work }: Entry): boolean => work.kind === 'event' && work.event === 'cancel'

// These go on without end: the money of a shopper, or the risk of an order, waits for a provider.
const goesOnForever = ({ work }: Entry): boolean =>
  work.kind === 'refund' || work.kind === 'void' || work.kind === 'risk'

// Nobody who could be told has asked: the answer comes in the same step, without a call.
const mayAskByItself = ({ event }: Outcome): boolean =>
  event?.type === 'cancellation.advised' || (event?.type === 'timer.fired' && event.timer.startsWith('cancelDelay'))

export const alerting = (store: Pick<Store, 'journal'>, log: AlertLog): Alerts => {
  // The day, of domain time, on which an order's waiting was last told of.
  const told = new Map<string, number>()

  const journalOf = async (orderRef: string): Promise<readonly JournalLine[]> => {
    const journal = await store.journal(orderRef)()
    return E.isRight(journal) ? journal.right : []
  }

  const tellOfWaiting = async ({ key, orderRef, startedAt }: Entry): Promise<void> => {
    const since = askedAt(await journalOf(orderRef))
    const today = Math.floor(startedAt / DAY)
    if (since === null || startedAt - since <= WEEK || told.get(orderRef) === today) return
    if (told.size >= REMEMBERED_MAX) told.clear()
    told.set(orderRef, today)
    const days = Math.floor((startedAt - since) / DAY)
    log.warn(
      { alert: 'cancel_waiting', key, order_ref: orderRef, days },
      `the merchant has been asked to cancel for more than ${days} days and has not decided: decide on the console`,
    )
  }

  return {
    settled: async (entry, result, settled) => {
      const { key, orderRef, startedAt, firstAt } = entry
      const { event, conclusion, error } = result
      const say = (level: 'warn' | 'error', alert: string, message: string): void =>
        log[level]({ alert, key, order_ref: orderRef }, message)

      if (settled === 'stuck')
        return say('error', 'stuck', 'the step that an answer causes cannot be made: it is parked')
      if (settled === 'lost') return
      if (conclusion.type === 'ended' && conclusion.as === 'exhausted')
        say('error', 'exhausted', `given up after its last attempt: ${error}`)
      if (conclusion.type === 'ended' && conclusion.as === 'unsupported')
        say('warn', 'unsupported', 'the merchant does not do cancel: cancel on the console, or ask again')
      if (event?.type === 'cancel.refused' && event.lateByMinutes === null)
        say('warn', 'toolate_without_minutes', 'the answer toolate does not say by how many minutes')
      if (error !== null && conclusion.type === 'again' && goesOnForever(entry) && startedAt - firstAt >= WEEK)
        say('error', 'failing', `has failed for a week and is tried on: ${error}`)
      if (isCancel(entry)) await tellOfWaiting(entry)
      if (mayAskByItself(result) && (await journalOf(orderRef)).at(-1)?.to.cancellation === 'unsupported')
        say(
          'warn',
          'unsupported',
          'the order is to be cancelled, and its merchant has no events_webhook to be asked at',
        )
    },
  }
}
