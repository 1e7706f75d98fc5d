// One run has good and bad merchants, each with orders at a fixed pace. It measures how long the
// IPNs of the good merchants take.
import { hashPassword } from '@plazo/adapters/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import { openSqlite } from '@plazo/adapters/sqlite'
import { aMerchant } from '@plazo/core/testing/contracts'
import { residentBytes, startServer } from '../../harness/running-server.ts'
import { keyringOf } from '../../harness/secret-keys.ts'
import { seededRandom } from '../../harness/seeded-random.ts'
import { type Shop, shopAt } from '../../harness/shop.ts'
import { FATES, type Fate, startReceivers } from './receivers.ts'

type RunOptions = {
  /** `sqlite:<path>` or the URL of a PostgreSQL database. The database is new. */
  readonly databaseUrl: string
  readonly nodes: number
  readonly merchants: number
  readonly bad: number
  /**
   * The number of accounts that the merchants share. From one to eight merchants of each hang, and
   * `bad` does not count. Null: each merchant has its own account.
   */
  readonly accounts: number | null
  /** True: after half of the time the servers are killed and started again. The report begins there. */
  readonly restarts: boolean
  /**
   * Milliseconds: how long orders are placed, and how long to wait for the remaining IPNs after the
   * last order.
   */
  readonly lasts: number
  readonly patience: number
  /** Milliseconds between two orders of one merchant. */
  readonly every: number
  readonly seed: number
  readonly env?: Readonly<Record<string, string>>
  readonly say: (line: string) => void
}

export type RunReport = {
  /** Orders whose IPN was due, of good merchants and of bad ones. */
  readonly good: number
  readonly bad: number
  readonly undelivered: number
  /**
   * Sorted milliseconds from the commit that makes an IPN due to its first byte at the receiver,
   * for good merchants.
   */
  readonly delays: readonly number[]
  readonly requests: Readonly<Record<Fate, number>>
  /** The log lines of all nodes about slow merchants. */
  readonly alerts: number
  /** The peak resident memory of one node's process, in bytes. */
  readonly residentBytes: number
  readonly failed: number
}

const SECRET_KEY = `isolation:${Buffer.alloc(32, 'plazo').toString('base64')}`
const LOGINS_AT_ONCE = 4
const CODE = '12345'
const PASSWORD = 'isolation'
const POLL_EVERY = 50
const POLLS = 200
const SAMPLE_EVERY = 1_000

const accountOf = (ref: string, accounts: number | null): string =>
  accounts === null ? ref : `account-${Number(ref.slice(1)) % accounts}`

/** Up to eight merchants of each account hang: one of the first account, two of the second. */
const hangInAccounts = (refs: readonly string[], accounts: number): ReadonlyMap<string, Fate> =>
  new Map(
    refs.flatMap((ref, n) => {
      const hanging = 1 + ((n % accounts) % 8)
      return Math.floor(n / accounts) < hanging ? [[ref, 'hang'] as const] : []
    }),
  )

const addMerchants = async (
  databaseUrl: string,
  refs: readonly string[],
  accounts: number | null,
): Promise<void> => {
  const keyring = keyringOf(SECRET_KEY)
  const home = databaseUrl.startsWith('sqlite:')
    ? openSqlite(databaseUrl.slice('sqlite:'.length), { keyring })
    : await openPostgres(databaseUrl, { keyring })
  // Hash the password once, and not for each of a thousand merchants.
  const passwordHash = await hashPassword(PASSWORD)
  for (const ref of refs)
    await home.merchants.add(
      aMerchant(ref, {
        ...{ passwordHash, sendActionEvents: false },
        username: accountOf(ref, accounts),
      }),
    )()
  await home.close()
}

type PlacedOrder = { readonly merchant: string; readonly orderRef: string }

/** `servers`: each request goes to the next one. */
const shopOf = (servers: () => string, merchant: string, accounts: number | null): Shop =>
  shopAt('', { username: accountOf(merchant, accounts), password: PASSWORD }, (path, init) =>
    fetch(`${servers()}${path}`, init),
  )

/** Places an order and resolves once its IPN is due. */
const leadOrder = async (
  servers: () => string,
  receivers: string,
  merchant: string,
  accounts: number | null,
): Promise<PlacedOrder> => {
  const shop = shopOf(servers, merchant, accounts)
  const orderRef = await shop.place({
    merchant: {
      id: merchant,
      return_url: `${receivers}/back`,
      notify_url: `${receivers}/${merchant}/ipn`,
      events_webhook: { url: `${receivers}/${merchant}/events`, parameters: {} },
    },
  })
  await shop.submit(orderRef)
  let { action } = await shop.submit(orderRef, { validation_code: CODE })
  for (let polls = 0; action !== 'wait_for_confirmation' && action !== 'finish'; polls++) {
    if (polls === POLLS) throw new Error(`${orderRef} has come to ${action} only.`)
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY))
    ;({ action } = await (action === 'resume_after_screening'
      ? shop.submit(orderRef)
      : shop.wait(orderRef)))
  }
  return { merchant, orderRef }
}

/**
 * When the step was made that asks the merchant to confirm, in epoch milliseconds; null if there is
 * none.
 */
const confirmingSince = async (
  servers: () => string,
  { merchant, orderRef }: PlacedOrder,
  accounts: number | null,
): Promise<number | null> => {
  const line = (await shopOf(servers, merchant, accounts).history(orderRef)).find(
    ({ to }) => to.checkout === 'confirming',
  )
  return line === undefined ? null : Date.parse(line.at)
}

const inTurn = <A>(all: readonly A[]): (() => A) => {
  let next = 0
  return () => all[next++ % all.length] as A
}

const pool = async <A>(
  all: readonly A[],
  atOnce: number,
  run: (each: A) => Promise<void>,
): Promise<void> => {
  const rest = [...all]
  const worker = async (): Promise<void> => {
    for (let each = rest.shift(); each !== undefined; each = rest.shift()) await run(each)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

export const isolationRun = async (options: RunOptions): Promise<RunReport> => {
  const { databaseUrl, nodes, lasts, patience, every, seed, env = {}, say } = options
  const refs = Array.from({ length: options.merchants }, (_, n) => `m${n}`)
  const bad = seededRandom(seed, 'bad merchants').shuffle(refs).slice(0, options.bad)
  const { accounts } = options
  const fates =
    accounts === null
      ? new Map<string, Fate>(bad.map((ref, n) => [ref, FATES[n % FATES.length] ?? 'hang']))
      : hangInAccounts(refs, accounts)
  const fateOf = (ref: string): Fate => fates.get(ref) ?? 'good'
  await addMerchants(databaseUrl, refs, accounts)
  const receivers = await startReceivers(fateOf)
  const startServers = async () => {
    const started = await Promise.all(
      Array.from({ length: nodes }, () =>
        startServer({ env: { SECRET_KEY, DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', ...env } }),
      ),
    )
    say('Each account logs in once.')
    const ofAccounts = accounts === null ? refs : refs.slice(0, accounts)
    for (const { url } of started)
      await pool(ofAccounts, LOGINS_AT_ONCE, async (ref) => {
        const shop = shopOf(() => url, ref, accounts)
        await (await shop.asMerchant('GET', '/merchants/credentials')).text()
      })
    return started
  }
  let servers = await startServers()
  let nextServer = inTurn(servers.map(({ url }) => url))

  let resident = 0
  const sampling = setInterval(() => {
    resident = Math.max(resident, ...servers.map(({ pid }) => residentBytes(pid)))
  }, SAMPLE_EVERY)

  const placedOrders: PlacedOrder[] = []
  const failures: string[] = []
  const underway = new Set<Promise<void>>()
  const begin = (ref: string): void => {
    const order = leadOrder(nextServer, receivers.url, ref, accounts)
      .then(
        (placed) => void placedOrders.push(placed),
        (cause: unknown) => void failures.push(String(cause)),
      )
      .finally(() => underway.delete(order))
    underway.add(order)
  }

  const placeOrders = async (millis: number): Promise<void> => {
    const startedAt = performance.now()
    let placed = 0
    let toldAt = startedAt
    while (performance.now() - startedAt < millis) {
      const dueCount = Math.floor(((performance.now() - startedAt) / every) * refs.length)
      for (; placed < dueCount; placed++) begin(refs[placed % refs.length] ?? '')
      if (performance.now() - toldAt > 30_000) {
        toldAt = performance.now()
        say(
          `${Math.round((toldAt - startedAt) / 1000)} s: ${placedOrders.length} orders, ${receivers.ipnAt.size} IPNs arrived.`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all(underway)
  }
  await placeOrders(options.restarts ? lasts / 2 : lasts)
  if (options.restarts) {
    await Promise.all(servers.map(({ kill }) => kill()))
    placedOrders.length = 0
    servers = await startServers()
    nextServer = inTurn(servers.map(({ url }) => url))
    await placeOrders(lasts / 2)
  }
  const ofGood = placedOrders.filter(({ merchant }) => fateOf(merchant) === 'good')
  const countMissing = () => ofGood.filter(({ orderRef }) => !receivers.ipnAt.has(orderRef)).length
  for (const end = performance.now() + patience; countMissing() > 0 && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 100))
  clearInterval(sampling)

  const delays: number[] = []
  await pool(ofGood, LOGINS_AT_ONCE, async (order) => {
    const since = await confirmingSince(nextServer, order, accounts)
    const at = receivers.ipnAt.get(order.orderRef)
    if (since !== null && at !== undefined) delays.push(at - since)
  })
  const undelivered = countMissing()
  const alerts = servers.filter(({ output }) =>
    output().includes('"alert":"slow_merchants"'),
  ).length
  // Requests that still wait for a hanging endpoint need not be awaited here.
  await Promise.all(servers.map(({ kill }) => kill()))
  await receivers.close()
  for (const failure of failures.slice(0, 3)) say(failure)
  return {
    good: ofGood.length,
    bad: placedOrders.length - ofGood.length,
    undelivered,
    delays: delays.sort((a, b) => a - b),
    requests: receivers.count,
    alerts,
    residentBytes: resident,
    failed: failures.length,
  }
}

/** The value below which `part` (0 to 1) of the sorted values lie. */
export const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
