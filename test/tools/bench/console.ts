// Measures how long the server works on each page of the console with a million orders, of which ten
// thousand have failing deliveries. Operators look at the console when something is wrong, so no page
// may take longer because there is much data.
import { hashPassword } from '@plazo/adapters/encryption'
import { aMerchant, unwrap } from '@plazo/core/internal/testing'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { composeInMode, configFrom } from '../../harness/config.ts'
import { failuresSql, placeMany, SHOPS } from '../../harness/many-orders.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { DEMO } from '../../harness/shop.ts'
import { consolePages, headersOf, type MeasuredPage } from './console-pages.ts'
import { percentile } from './load.ts'
import { openStoreAt } from './open-store.ts'
import { SECRET_KEY } from './plazo.ts'
import type { Part, PartOptions, Sample } from './rounds.ts'
import { called } from './stores.ts'

const ORDERS = { full: 1_000_000, small: 2_000 } as const
// For each page in each round.
const REQUESTS = { full: 70, small: 3 } as const
const MILLIS_MAX = 50
const BASE_URL = 'http://localhost:3000'

/** Runs statements in the database, and what it does by itself in time: it learns its tables' sizes. */
const runSql = async (url: string, sql: string): Promise<void> => {
  if (!url.startsWith('sqlite:')) {
    await queryPostgres(url, sql)
    await queryPostgres(url, 'vacuum analyze')
    return
  }
  const db = openDatabase(url.slice('sqlite:'.length))
  db.exec(sql)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

/** Stores the orders that `many-orders.ts` describes, with what failed deliveries leave behind. */
const fill = async (url: string, orders: number): Promise<void> => {
  const { store, merchants, close } = await openStoreAt(url)
  const { username, password } = DEMO
  const passwordHash = await hashPassword(password)
  for (const ref of SHOPS) await unwrap(merchants.add(aMerchant(ref, { username, passwordHash })))
  const now = Date.now()
  await placeMany(store, orders, now)
  await close()
  await runSql(url, failuresSql(url.startsWith('sqlite:') ? '' : 'plazo.', now))
}

type Answers = (page: MeasuredPage, n: number) => Promise<number>

/** The app of a server, without a socket. Resolves to the milliseconds until the whole answer is there. */
const openApp = async (
  url: string,
): Promise<{ readonly answer: Answers; readonly stop: () => Promise<void> }> => {
  const config = configFrom({ DATABASE_URL: url, SECRET_KEY, LOG_LEVEL: 'silent' })
  const { app, stop } = await composeInMode(config, { baseUrl: BASE_URL })
  return {
    stop,
    answer: async (page, n) => {
      const address = page(n)
      const request = new Request(`${BASE_URL}${address}`, { headers: headersOf(address) })
      const startedAt = performance.now()
      const answer = await app.fetch(request)
      await answer.text()
      const millis = performance.now() - startedAt
      if (answer.status !== 200 && answer.status !== 303)
        throw new Error(`${address} was answered with ${answer.status}.`)
      return millis
    },
  }
}

/** Each page in turn, again and again, so that a busy moment of the machine meets all alike. */
const measurePages = async (
  answer: Answers,
  pages: readonly MeasuredPage[],
  requests: number,
): Promise<readonly (readonly [path: string, times: Sample])[]> => {
  const times = new Map<MeasuredPage, number[]>(pages.map((page) => [page, []]))
  for (const page of pages) await answer(page, 0)
  for (let n = 1; n <= requests; n++)
    for (const page of pages) times.get(page)?.push(await answer(page, n))
  return [...times].map(([page, millis]) => {
    const sorted = millis.toSorted((a, b) => a - b)
    return [page(1), { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }]
  })
}

const measure = async ({ stores, on, size, rounds, say }: PartOptions) => {
  const orders = ORDERS[size]
  for (const store of on) {
    const url = await stores.fresh(store)
    await fill(url, orders)
    const { answer, stop } = await openApp(url)
    const pages = consolePages(orders, Date.now())
    const measured = await measurePages(answer, pages, REQUESTS[size] * rounds).finally(stop)
    for (const [path, { p50 = 0, p99 = 0 }] of measured) {
      const isSlow = p99 > MILLIS_MAX && size === 'full'
      say(
        `| ${called[store]}, ${path} | ${p50.toFixed(1)} | ${p99.toFixed(1)}${isSlow ? ' SLOW' : ''} |`,
      )
      if (isSlow) process.exitCode = 1
    }
  }
}

export const consoleReads: Part = {
  about:
    'server time of each page of the console, with a million orders and ten thousand failing deliveries',
  measure,
}
