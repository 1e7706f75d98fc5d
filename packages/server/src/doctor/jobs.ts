// Checks that the work of orders gets done: it looks for stuck jobs, overdue jobs, slow merchants
// and exhausted deliveries.
import type { Clock, OrderCount, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isFailing } from '../background/endpoint-alert.ts'
import type { Storage } from '../command-line/command.ts'
import { type Finding, judge, ok, problem } from './finding.ts'

type Stores = Pick<Storage, 'store'>

const MINUTE = 60_000
const WEEK = 7 * 24 * 60 * MINUTE
const LISTED_MAX = 5
const DELIVERIES_MAX = 1000

const listSome = (keys: readonly string[]): string =>
  `${keys.slice(0, LISTED_MAX).join(', ')}${keys.length > LISTED_MAX ? ` and ${keys.length - LISTED_MAX} more` : ''}`

const stuck = ({ store }: Stores): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.stuckJobs(),
    TE.map((jobs) =>
      judge('stuck', jobs.length === 0, {
        right: 'no job is stuck',
        wrong: `${jobs.length} stuck: ${listSome(jobs.map(({ key, message }) => `${key} (${message})`))}`,
        todo:
          'plazo could not apply the result because of an internal error. See the log of that time, and the order with ' +
          '`plazo orders show`. Fix the error, then run `plazo deliveries retry <key>`.',
      }),
    ),
  )

const oldestDue = ({ store }: Stores, clock: Clock): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.nextDueAt(),
    TE.map((oldest) => {
      if (oldest === null) return ok('oldest due', 'no job is waiting')
      const at = new Date(oldest).toISOString()
      const overdueMillis = clock.now() - oldest
      return judge('oldest due', overdueMillis < MINUTE, {
        right: `the next is due at ${at}`,
        wrong: `a job has been due for ${Math.floor(overdueMillis / MINUTE)} min, since ${at}`,
        todo:
          'Check that a server runs on this database, and what its /readyz answers. A merchant whose endpoint hangs delays ' +
          'only their own deliveries.',
      })
    }),
  )

const slow = ({ store }: Stores): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.queueStats(),
    TE.map(({ slowMerchants }) =>
      judge('slow merchants', slowMerchants.length === 0, {
        right: 'no merchant with deliveries in flight answers slowly or fails',
        wrong: `${slowMerchants.length} answer slowly or fail, so each has one event and one IPN at a time: ${listSome(slowMerchants)}`,
        todo:
          'Their own deliveries wait; other merchants are not affected. See their attempts with `plazo deliveries list ' +
          `--merchant ${slowMerchants[0]}\`, and ask them to fix their endpoints. A good answer lifts the limit.`,
      }),
    ),
  )

const failingEndpoints = ({ store }: Stores, clock: Clock): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.endpoints.list({ merchantRef: null, isFailing: true, limit: 100 }),
    TE.map((all) => all.filter((each) => isFailing(each, clock.now()))),
    TE.map((failing) =>
      judge('failing endpoints', failing.length === 0, {
        right: 'no shop has failed for 15 minutes',
        wrong: `${failing.length} fail: ${listSome(
          failing.map(
            ({ merchantRef, kind, failingSince }) =>
              `${merchantRef} ${kind} since ${new Date(failingSince ?? 0).toISOString()}`,
          ),
        )}`,
        todo:
          'Their orders expire, and an expired order’s IPN cannot be recovered. See what they answer and what can be saved at ' +
          '/console/endpoints, and tell the shops.',
      }),
    ),
  )

export type ExhaustedCount = OrderCount & { readonly merchantRef: string }

/** The merchants with deliveries that were given up in the last week, of the newest `limit`. */
export const readExhausted = (
  { store }: Stores,
  clock: Clock,
  limit: number,
): TE.TaskEither<Unavailable, readonly ExhaustedCount[]> =>
  pipe(
    store.deliveries.exhausted(limit),
    TE.map((exhausted) => {
      const recent = exhausted.filter(
        ({ attempts }) => (attempts.at(-1)?.startedAt ?? 0) >= clock.now() - WEEK,
      )
      const isExact = exhausted.length < limit
      const byMerchant = Map.groupBy(recent, ({ merchantRef }) => merchantRef)
      return [...byMerchant].map(([merchantRef, { length: count }]) => ({
        ...{ merchantRef, count, isExact },
      }))
    }),
  )

const findExhausted = (storage: Stores, clock: Clock): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    readExhausted(storage, clock, DELIVERIES_MAX),
    TE.map((merchants) =>
      judge('exhausted', merchants.length === 0, {
        right: 'no delivery was given up in the last 7 days',
        wrong: `given up in the last 7 days: ${merchants.map(({ merchantRef, count }) => `${count} of ${merchantRef}`).join(', ')}`,
        todo:
          `Once the merchant’s endpoint answers, \`plazo deliveries recover --merchant ${merchants[0]?.merchantRef} --since <instant>\` ` +
          'sends them again.',
      }),
    ),
  )

export const jobFindings = async (storage: Stores, clock: Clock): Promise<readonly Finding[]> => {
  const findings = await TE.sequenceSeqArray([
    stuck(storage),
    oldestDue(storage, clock),
    slow(storage),
    failingEndpoints(storage, clock),
    findExhausted(storage, clock),
  ])()
  return E.isRight(findings)
    ? findings.right
    : [
        problem(
          'work',
          findings.left.message,
          'The database cannot be read now. Try again, and check its disk.',
        ),
      ]
}
