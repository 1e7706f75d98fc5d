// Checks that the work of orders gets done: it looks for stuck jobs, overdue jobs, slow merchants and exhausted deliveries.
import type { Clock, Delivery, Merchants, Store, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { amiss, type Finding, fine } from './finding.ts'

type Home = { readonly store: Store; readonly merchants: Merchants }

const MINUTE = 60_000
const WEEK = 7 * 24 * 60 * MINUTE
const SHOWN = 5
const MOST = 1000

const some = (keys: readonly string[]): string =>
  `${keys.slice(0, SHOWN).join(', ')}${keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : ''}`

const stuck = ({ store }: Home): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.stuck(),
    TE.map((entries) =>
      entries.length === 0
        ? fine('stuck', 'nothing is parked')
        : amiss(
            'stuck',
            `${entries.length} parked: ${some(entries.map(({ key, message }) => `${key} (${message})`))}`,
            'The step that an answer causes cannot be made, which is a fault of plazo: look at the log at that time; see the ' +
              'order with `plazo orders show`; once it is mended, `plazo stuck retry <key>` runs it again.',
          ),
    ),
  )

const due = ({ store }: Home, clock: Clock): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.queueStats(),
    TE.map(({ nextDueAt }) => {
      const instants = Object.values(nextDueAt).filter((at) => at !== null)
      const oldest = instants.length === 0 ? null : Math.min(...instants)
      if (oldest === null) return fine('oldest due', 'nothing waits')
      const at = new Date(oldest).toISOString()
      const late = clock.now() - oldest
      return late < MINUTE
        ? fine('oldest due', `the next is due at ${at}`)
        : amiss(
            'oldest due',
            `something has been due for ${Math.floor(late / MINUTE)} min, since ${at}`,
            'See that a server runs on this database, and what its /readyz says; a merchant whose endpoint hangs keeps his own ' +
              'deliveries waiting, and nobody else’s.',
          )
    }),
  )

const slow = ({ store }: Home): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    store.queueStats(),
    TE.map(({ slowMerchants }) =>
      slowMerchants.length === 0
        ? fine('slow merchants', 'no merchant has deliveries in flight under a smaller share')
        : amiss(
            'slow merchants',
            `${slowMerchants.length} answer slowly or fail, and get a smaller share: ${some(slowMerchants)}`,
            'Their own deliveries wait; other merchants are not affected. See their attempts with `plazo deliveries list ' +
              `--merchant ${slowMerchants[0]}\`, and ask them to mend their endpoints. The share grows back with good answers.`,
          ),
    ),
  )

const lastTriedAt = ({ attempts }: Delivery): number => attempts.at(-1)?.startedAt ?? 0

const exhaustedOf = ({ store }: Home, merchantRef: string, since: number) =>
  pipe(
    store.deliveries.list({ merchantRef, orderRef: null, state: 'exhausted', before: null, limit: MOST }),
    // Without a `before`, the error DeliveryNotFound cannot occur.
    TE.mapLeft(
      (error): Unavailable => ({ _tag: 'Unavailable', message: 'message' in error ? error.message : error._tag }),
    ),
    TE.map((deliveries) => ({
      merchantRef,
      count: deliveries.filter((each) => lastTriedAt(each) >= since).length,
    })),
  )

const exhausted = (home: Home, clock: Clock): TE.TaskEither<Unavailable, Finding> =>
  pipe(
    home.merchants.list(),
    TE.chain(TE.traverseSeqArray(({ ref }) => exhaustedOf(home, ref, clock.now() - WEEK))),
    TE.map((merchants) => merchants.filter(({ count }) => count > 0)),
    TE.map((merchants) =>
      merchants.length === 0
        ? fine('exhausted', 'nothing was given up in the last 7 days')
        : amiss(
            'exhausted',
            `given up in the last 7 days: ${merchants.map(({ merchantRef, count }) => `${count} of ${merchantRef}`).join(', ')}`,
            `Once his endpoint answers, \`plazo deliveries recover --merchant ${merchants[0]?.merchantRef} --since <instant>\` ` +
              'sends them again.',
          ),
    ),
  )

export const workFindings = async (home: Home, clock: Clock): Promise<readonly Finding[]> => {
  const found = await TE.sequenceSeqArray([stuck(home), due(home, clock), slow(home), exhausted(home, clock)])()
  return E.isRight(found)
    ? found.right
    : [amiss('work', found.left.message, 'The database cannot be read now: try again, and look at its disk.')]
}
