// Orders stop silently if their jobs are stuck, overdue or given up, or if a shop fails, so the
// doctor looks for each.
import type { Clock } from '@plazo/core/ports'
import { readFailing } from '../background/endpoint-alert.ts'
import { readExhausted } from '../background/exhausted.ts'
import { type Finding, judge } from '../doctor/finding.ts'
import type { Storage } from './command.ts'
import { valueOrRefuse } from './terminal.ts'

type Stores = Pick<Storage, 'store'>

const MINUTE = 60_000
const LISTED_MAX = 5
const DELIVERIES_MAX = 1000

const listSome = (items: readonly string[]): string =>
  items.length <= LISTED_MAX
    ? items.join(', ') || 'none'
    : `${items.slice(0, LISTED_MAX).join(', ')} and ${items.length - LISTED_MAX} more`

const isoOf = (at: number): string => new Date(at).toISOString()

export const jobFindings = async (storage: Stores, clock: Clock): Promise<readonly Finding[]> => {
  const { store } = storage
  const now = clock.now()
  const stuck = await valueOrRefuse(store.stuckJobs())
  const dueAt = await valueOrRefuse(store.nextDueAt())
  const { slowMerchants } = await valueOrRefuse(store.queueStats())
  const failing = await valueOrRefuse(readFailing(store, clock))
  const exhausted = await valueOrRefuse(readExhausted(storage, clock, DELIVERIES_MAX))
  return [
    judge(
      'stuck',
      stuck.length === 0,
      listSome(stuck.map(({ key, message }) => `${key} (${message})`)),
      'plazo could not apply the result because of an internal error. See the log of that time, and the order with ' +
        '`plazo orders show`. Fix the error, then run `plazo deliveries retry <key>`.',
    ),
    judge(
      'oldest due',
      dueAt === null || now - dueAt < MINUTE,
      dueAt === null ? 'no job is waiting' : `the next is due at ${isoOf(dueAt)}`,
      'Check that a server runs on this database, and what its /readyz answers.',
    ),
    judge(
      'slow merchants',
      slowMerchants.length === 0,
      listSome(slowMerchants),
      'They answer slowly or fail, so each has one event and one IPN at a time. See `plazo deliveries list`, and ask them to ' +
        'fix their endpoints.',
    ),
    judge(
      'failing endpoints',
      failing.length === 0,
      listSome(
        failing.map(
          ({ merchantRef, kind, failingSince }) =>
            `${merchantRef} ${kind} since ${isoOf(failingSince ?? 0)}`,
        ),
      ),
      'Their orders expire, and an expired order’s IPN cannot be recovered. See what they answer and what can be saved at ' +
        '/console/endpoints, and tell the shops.',
    ),
    judge(
      'exhausted',
      exhausted.length === 0,
      `given up in the last 7 days: ${listSome(exhausted.map(({ merchantRef, count }) => `${count} of ${merchantRef}`))}`,
      `Once the endpoint answers, \`plazo deliveries recover --merchant ${exhausted[0]?.merchantRef} --since <instant>\` ` +
        'sends them again.',
    ),
  ]
}
