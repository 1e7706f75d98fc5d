// What needs an operator, in sentences. The findings that a test cannot cause in a running server
// are given here: a full log of writes, a provider that is down, and a job that is stuck.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, expect, it } from 'vitest'
import { homeMarkup, readAttention, readBarCounts } from './home.ts'

const folder = mkdtempSync(join(tmpdir(), 'plazo-attention-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NOW = Date.UTC(2026, 10, 27)
const HOUR = 3_600_000
const DAY = 24 * HOUR

type Given = {
  readonly [name in 'endpoints' | 'stuck' | 'exhausted' | 'waiting' | 'providers']?: unknown
} & { readonly path?: string; readonly failingOrders?: readonly unknown[] }

const readHome = async (given: Given): Promise<string> => {
  const answerWith = (name: keyof Given) => () => TE.right(given[name] ?? [])
  const items = await readAttention({
    host: {
      clock: { now: () => NOW },
      terms: { rules: { checkoutLifetime: DAY } },
      store: {
        endpoints: { list: answerWith('endpoints') },
        deliveries: { exhausted: answerWith('exhausted') },
        orders: {
          countWaiting: answerWith('waiting'),
          search: () => TE.right({ orders: given.failingOrders ?? [] }),
        },
        stuckJobs: answerWith('stuck'),
      },
    },
    config: { database: { type: 'sqlite', path: given.path ?? ':memory:' } },
    providerWatch: { readFailing: () => given.providers ?? [] },
  } as never)
  return `${await homeMarkup(items)}`.replaceAll(/\s+/g, ' ')
}

const failingEndpoint = (merchantRef: string, kind = 'ipn', lastGoodAt: number | null = null) => ({
  merchantRef,
  kind,
  lastGoodAt,
  failures: 9,
  failingSince: NOW - 3 * DAY,
})

it('is nothing if all is well', async () => {
  writeFileSync(join(folder, 'well.db'), '')
  expect(await readHome({ path: join(folder, 'well.db') })).toContain('Nothing needs you.')
  expect(await readHome({ path: join(folder, 'nowhere', 'lost.db') })).toContain(
    'Nothing needs you.',
  )
})

it('names a shop that was well before once several of its orders fail, not one', async () => {
  const endpoints = [failingEndpoint('bikes', 'ipn', NOW - 4 * DAY)]
  expect(await readHome({ endpoints, failingOrders: ['one'] })).toContain('Nothing needs you.')
  expect(await readHome({ endpoints, failingOrders: ['one', 'two'] })).toContain('bikes')
})

it.each<[string, Given, readonly string[]]>([
  [
    'a shop that fails',
    {
      endpoints: [
        failingEndpoint('bikes'),
        failingEndpoint('shoes', 'event'),
        failingEndpoint('bikes', 'event'),
      ],
    },
    [
      'href="console/endpoints/bikes/ipn"><bdi>bikes</bdi></a> has not accepted IPNs and events for 3 days, and its orders expire. See',
      'href="console/endpoints/shoes/event"><bdi>shoes</bdi></a> has not accepted events for 3 days. See',
    ],
  ],
  [
    'a provider that does not answer',
    { providers: [{ port: 'screening', failingSince: NOW - HOUR, failures: 12 }] },
    [
      'The screening provider has not answered for 1 hour, 12 times in a row, and <a href="console/orders?checkout=screening">orders wait for it</a>.',
    ],
  ],
  [
    'a stuck job',
    { stuck: [{ key: 'o:7:risk', orderRef: 'o', message: '<b>' }] },
    ['1 job stuck', '<a href="console/orders/o">o:7:risk</a> (&lt;b&gt;)', 'deliveries retry'],
  ],
  [
    'webhooks that were given up',
    {
      exhausted: [NOW - DAY, NOW - DAY, NOW - 8 * DAY].map((startedAt, n) => ({
        id: String(n),
        merchantRef: 'acme',
        attempts: [{ n: 24, startedAt }],
      })),
    },
    [
      '<a href="console/orders?merchant=acme&amp;failing=true">2 webhooks</a> of <bdi>acme</bdi> in the last 7 days.',
      '<a href="console/endpoints/acme/event">send them again</a>',
    ],
  ],
  [
    'orders that wait, the most urgent first',
    {
      waiting: [
        { task: 'asked', count: 10_000, isExact: false, since: NOW - HOUR },
        { task: 'review', count: 1, isExact: true, since: NOW - 2 * HOUR },
      ],
    },
    [
      '<a href="console/decisions?kind=review">1 order</a> on hold. Approve or reject. The oldest has waited for 2 hours.',
      '<a href="console/decisions?kind=asked">more than 10,000 orders</a> whose shop was asked',
    ],
  ],
])('names %s, with a link and a remedy', async (_, given, parts) => {
  const text = await readHome(given)
  const places = parts.map((part) => text.indexOf(part))
  expect(places, text).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(text).not.toContain('Nothing needs you')
})

it('names a log of writes that a backup keeps from being emptied, as the doctor does', async () => {
  const path = join(folder, 'read.db')
  for (const file of [path, `${path}-wal`]) writeFileSync(file, '')
  // Sparse: it takes no space.
  truncateSync(`${path}-wal`, 1_100 * 2 ** 20)
  expect(await readHome({ path })).toContain(
    '1100.0 MiB. A long read keeps the log from being emptied. End it: it may be a backup',
  )
})

it.each([
  [[{ count: 3, isExact: true }], '3'],
  [
    [
      { count: 60, isExact: true },
      { count: 39, isExact: true },
    ],
    '99',
  ],
  [
    [
      { count: 60, isExact: true },
      { count: 40, isExact: true },
    ],
    '99+',
  ],
  [[{ count: 99, isExact: false }], '99+'],
  [[], ''],
])('counts in the bar up to 99 orders: of %j it says %s', async (waiting, words) => {
  const counts = await readBarCounts({
    host: {
      clock: { now: () => NOW },
      store: {
        endpoints: { list: () => TE.right([]) },
        orders: { countWaiting: () => TE.right(waiting) },
      },
    },
  } as never)()
  expect(counts.decisions).toBe(words)
})
