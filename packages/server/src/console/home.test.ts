// What needs an operator, in sentences. The findings that a test cannot cause in a running server
// are given here: a provider that is down, and a job that is stuck.
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { homeMarkup } from './home.ts'

const NOW = Date.UTC(2026, 10, 27)
const HOUR = 3_600_000
const DAY = 24 * HOUR

type Given = {
  readonly [name in 'endpoints' | 'stuck' | 'exhausted' | 'waiting' | 'providers']?: unknown
}

const readHome = async (given: Given): Promise<string> => {
  const answerWith = (name: keyof Given) => () => TE.right(given[name] ?? [])
  const markup = await homeMarkup({
    host: {
      clock: { now: () => NOW },
      store: {
        endpoints: { list: answerWith('endpoints') },
        deliveries: { exhausted: answerWith('exhausted') },
        orders: { countWaiting: answerWith('waiting') },
        stuckJobs: answerWith('stuck'),
      },
    },
    config: { database: { type: 'sqlite', path: ':memory:' } },
    providerWatch: { readFailing: () => given.providers ?? [] },
  } as never)
  return `${markup}`.replaceAll(/\s+/g, ' ')
}

it.each<[string, Given, readonly string[]]>([
  [
    'a provider that does not answer',
    { providers: [{ port: 'screening', failingSince: NOW - HOUR, failures: 12 }] },
    [
      '<a href="console/orders?checkout=screening"><bdi>The screening provider</bdi></a> has not answered for 1 h, 12 times in a row, and orders wait for it.',
    ],
  ],
  [
    'a stuck job',
    { stuck: [{ key: 'o:7:risk', orderRef: 'o', message: '<b>' }] },
    [
      '<a href="console/orders/o"><bdi>A job of order o</bdi></a>',
      '&lt;b&gt;',
      'deliveries retry o:7:risk</code>',
    ],
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
      '<a href="console/endpoints/acme/event"><bdi>acme</bdi></a> did not accept 2 webhooks',
      'deliveries recover --merchant acme</code>',
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
      '<a href="console/decisions?kind=review"><bdi>1 order</bdi></a> on hold. Approve or reject. The oldest has waited for 2 h.',
      '<a href="console/decisions?kind=asked"><bdi>at least 10,000 orders</bdi></a> whose shop was asked',
    ],
  ],
])('names %s, with a link and a remedy', async (_, given, parts) => {
  const text = await readHome(given)
  const places = parts.map((part) => text.indexOf(part))
  expect(places, text).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(text).not.toContain('Nothing needs you')
})
