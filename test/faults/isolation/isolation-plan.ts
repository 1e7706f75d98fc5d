// The plan of `pnpm isolation`: good merchants and bad ones have orders at a fixed pace, and the
// plan measures how long the IPNs of the good ones take. Then all are calm, and the ledger of every
// cluster run shows that nothing was lost or done twice.
import type { DatabaseSnapshot } from '../../harness/ledger/snapshot.ts'
import { BAD_MANNERS, type MerchantRef } from '../../harness/merchants.ts'
import { freePort, temporaryPath } from '../../harness/ports-and-folders.ts'
import { startOwnPostgres } from '../../harness/postgres.ts'
import { errorsIn, startServer } from '../../harness/running-server.ts'
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts'
import { asMerchant } from '../../harness/shopper.ts'
import { postgresDatabase, sqliteDatabase } from '../cluster/databases.ts'
import type { Journey } from '../cluster/journeys.ts'
import type { Load } from '../cluster/load.ts'
import { type Path, path } from '../cluster/paths.ts'
import type { FaultPlan } from '../cluster/run.ts'

type IsolationOptions = {
  readonly store: 'sqlite' | 'postgres'
  readonly merchants: number
  readonly bad: number
  /**
   * Milliseconds: how long orders are placed, and how long to wait for the remaining IPNs after the
   * last order.
   */
  readonly lasts: number
  readonly patience: number
  /** Milliseconds between two orders of one merchant. */
  readonly every: number
}

type IsolationFacts = {
  /** Orders of good merchants. */
  readonly good: number
  readonly undelivered: number
  /**
   * Sorted milliseconds from the commit that makes an IPN due to its arrival at the receiver, for
   * good merchants.
   */
  readonly delays: readonly number[]
}

const LOGINS_AT_ONCE = 4
const ENDS_WITHIN = 60_000
// The load is orders, not polls: an order has some fifteen requests.
const POLLS_AFTER = 60

/** Each has an account of its own. */
const merchantsOf = ({ merchants }: IsolationOptions): readonly MerchantRef[] =>
  Array.from({ length: merchants }, (_, n) => ({ ref: `m${n}`, account: `m${n}` }))

const shopperOf = (ipn: Path['ipn'], events: Path['events']): Path =>
  path(ipn, { ipn, events, code: 'master', leavesAt: 'wait_for_confirmation' })
const GOOD = shopperOf('accepts', 'accepts')

/** The shopper of each merchant. */
const pathsOf = ({ merchants, bad }: IsolationOptions, draw: SeededRandom): readonly Path[] => {
  const badPaths = Array.from({ length: bad }, (_, n) => {
    const manner = BAD_MANNERS[n % BAD_MANNERS.length] ?? 'hangs'
    return shopperOf(manner, manner)
  })
  return draw.shuffle([...badPaths, ...Array<Path>(merchants - bad).fill(GOOD)])
}

const openDatabase = async (store: IsolationOptions['store'], all: readonly MerchantRef[]) => {
  if (store === 'sqlite') {
    const { path: file, remove } = temporaryPath('plazo.db')
    return { ...(await sqliteDatabase(file, all)), close: async () => remove() }
  }
  const postgres = await startOwnPostgres()
  return {
    ...(await postgresDatabase(await postgres.database(), all)),
    close: () => postgres.close(),
  }
}

/** When the IPN of each order arrived first, by the order's uuid. */
const ipnArrivals = ({ merchants }: Load): ReadonlyMap<string, number> =>
  new Map(
    [...merchants.arrivedAt].flatMap(([id, at]) => {
      const [orderRef = '', , lane] = id.split(':')
      return lane === 'ipn' ? [[orderRef, at] as const] : []
    }),
  )

const isGood = ({ plan }: Journey): boolean => plan.ipn === 'accepts'

/** When each order asked its merchant to confirm, in epoch milliseconds, by the order's uuid. */
const confirmingSince = (snapshot: DatabaseSnapshot): ReadonlyMap<string, number> =>
  new Map(
    snapshot.orders.flatMap(({ id, orderRef }) => {
      const line = snapshot.lines(id).find(({ to }) => to.startsWith('confirming'))
      return line === undefined ? [] : [[orderRef, line.at] as const]
    }),
  )

export const isolationPlan =
  (options: IsolationOptions): FaultPlan<IsolationFacts> =>
  async ({ seed, onViolation, say }) => {
    const { lasts, patience, every } = options
    const merchants = merchantsOf(options)
    const paths = pathsOf(options, seededRandom(seed, 'bad merchants'))
    const database = await openDatabase(options.store, merchants)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`

    const server = await startServer({
      env: { ...database.env, BASE_URL: url, PORT: String(port), LOG_LEVEL: 'warn' },
    })
    say('Each account logs in once.')
    const accounts = [...merchants]
    const logIn = async (): Promise<void> => {
      for (let each = accounts.pop(); each !== undefined; each = accounts.pop())
        await fetch(`${url}/merchants/credentials`, { headers: asMerchant(each) }).then((answer) =>
          answer.text(),
        )
    }
    await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, logIn))

    /** The orders that the report is about. */
    let measured: readonly Journey[] = []
    let arrivals: ReadonlyMap<string, number> = new Map()

    const placeOrders = async ({ arrive }: Load) => {
      const startedAt = performance.now()
      const underway: Promise<void>[] = []
      while (performance.now() - startedAt < lasts) {
        const elapsed = performance.now() - startedAt
        for (const due = Math.floor((elapsed / every) * paths.length); underway.length < due; ) {
          const n = underway.length % paths.length
          underway.push(arrive(paths[n] as Path, merchants[n] as MerchantRef))
        }
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await Promise.all(underway)
    }

    const isMissing = ({ orderRef }: Journey): boolean => !arrivals.has(orderRef)

    return {
      url,
      pollsAfter: POLLS_AFTER,
      endsWithin: ENDS_WITHIN,
      hasMovingClock: false,
      disturb: async (load) => {
        await placeOrders(load)
        measured = load.journeys.filter(isGood)
        for (const end = performance.now() + patience; performance.now() < end; ) {
          arrivals = ipnArrivals(load)
          if (!measured.some(isMissing)) break
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
        say('All merchants are calm.')
      },
      recover: async () => {},
      stop: async () => {
        if ((await server.stop()) !== 0) onViolation('Told to stop, a server did not end well.')
        for (const line of errorsIn(server.output())) onViolation(`A server says: ${line}`)
      },
      snapshot: database.snapshot,
      facts: async (snapshot) => {
        const since = confirmingSince(snapshot)
        const delays = measured.flatMap(({ orderRef }) => {
          const [dueAt, at] = [since.get(orderRef), arrivals.get(orderRef)]
          return dueAt === undefined || at === undefined ? [] : [at - dueAt]
        })
        return {
          good: measured.length,
          undelivered: measured.filter(isMissing).length,
          delays: delays.toSorted((a, b) => a - b),
        }
      },
      close: async () => {
        const { child, kill } = server
        if (child.exitCode === null && child.signalCode === null) await kill()
        await database.close()
      },
    }
  }

/** The value below which `part` (0 to 1) of the sorted values lie. */
export const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
