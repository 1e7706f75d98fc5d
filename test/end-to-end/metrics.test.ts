// What Prometheus reads: one help and one type per metric, and counters that count each outcome.
// Contract §7.
import { readFileSync } from 'node:fs'
import { openSqlite } from '@plazo/adapters/sqlite'
import { finishedAs, HOUR, openShop, unwrap } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../packages/server/src/host/prometheus.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt } from './stages.ts'

const SAMPLE =
  /^(plazo_[a-z_]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)*)\})? (\+Inf|\d+(?:\.\d+)?(?:e-?\d+)?)$/
const NAMES = [
  'plazo_attempt_seconds',
  'plazo_attempts_total',
  'plazo_dispatching',
  'plazo_endpoint_failing_seconds',
  'plazo_exhausted_total',
  'plazo_in_flight',
  'plazo_oldest_due_seconds',
  'plazo_steps_committed_total',
  'plazo_stuck',
  'plazo_takeovers_total',
  'plazo_waiting_deliveries',
]

type Samples = ReadonlyMap<string, number>

/**
 * Every line must be a comment or a sample. Returns the samples by their name and labels, as
 * printed.
 */
const parseSamples = (text: string): Samples => {
  expect(text.endsWith('\n')).toBe(true)
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && !/^# (HELP|TYPE) plazo_[a-z_]+ \S/.test(line))
  return new Map(
    lines.map((line) => {
      const [, name = '', labels = '', value = ''] =
        SAMPLE.exec(line) ?? expect.fail(`no sample: ${line}`)
      return [labels === '' ? name : `${name}{${labels}}`, Number(value)]
    }),
  )
}

const { receiver, shop, stages } = await servedShop({ WEBHOOK_PER_MERCHANT: '1' })

const scrape = async (): Promise<Samples> =>
  parseSamples(await (await shop.send('GET', '/metrics')).text())

const value = async (sample: string): Promise<number> => (await scrape()).get(sample) ?? Number.NaN

describe('GET /metrics', () => {
  it('is Prometheus’ text format, with one help and one type line per metric', async () => {
    const response = await shop.send('GET', '/metrics')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    expect(parseSamples(text).size).toBeGreaterThan(NAMES.length)
    // Every counter starts at 0, so that a rate shows the first increase.
    expect(await value('plazo_exhausted_total{event="ipn"}')).toBe(0)
    expect(await value('plazo_dispatching')).toBe(1)
    expect(await value('plazo_takeovers_total')).toBe(0)
    for (const kind of ['HELP', 'TYPE'])
      expect(
        [...text.matchAll(new RegExp(`^# ${kind} (\\S+) `, 'gm'))].map(([, name]) => name).sort(),
      ).toEqual(NAMES)
  })

  it('has each series of the dashboard and of the alert rules', async () => {
    const text = await (await shop.send('GET', '/metrics')).text()
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type]) => [name, type]),
    )
    const charted = new Set<string>()
    for (const file of ['dashboard.json', 'alerts.yml']) {
      const page = readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8')
      for (const [name] of page.matchAll(/plazo_\w+/g)) {
        const metric = name.replace(/_bucket$/, '')
        const type = metric === name ? expect.stringMatching(/gauge|counter/) : 'histogram'
        expect(types.get(metric), `${name} in ${file}`).toEqual(type)
        charted.add(metric)
      }
      if (file === 'dashboard.json') expect([...charted].sort()).toEqual(NAMES)
    }
  })

  it('counts steps and attempts by event and outcome', async () => {
    const before = await scrape()
    const { ipn, merchant } = addressesAt(receiver, 'counted')
    receiver.answer(ipn, { status: 500 })
    const ref = await stages.settled({}, { merchant })
    receiver.answer(ipn, { status: 200 })
    await shop.advance(10)
    expect((await shop.order(ref)).state.checkout).toBe('confirmed')
    const after = await scrape()
    const risen = (sample: string) => (after.get(sample) ?? 0) - (before.get(sample) ?? 0)
    expect(risen('plazo_attempts_total{event="ipn",outcome="error"}')).toBe(1)
    expect(risen('plazo_attempts_total{event="ipn",outcome="accepted"}')).toBe(1)
    expect(risen('plazo_attempts_total{event="sms",outcome="accepted"}')).toBe(1)
    expect(risen('plazo_attempt_seconds_count{class="ipn"}')).toBe(2)
    expect(risen('plazo_attempt_seconds_bucket{le="+Inf",class="ipn"}')).toBe(2)
    // Each step has one line in the history, from placing to confirming.
    expect(risen('plazo_steps_committed_total')).toBe((await shop.history(ref)).length)
  })
})

it('the metrics show stuck jobs, lost results and what is overdue', async () => {
  const storage = openSqlite(':memory:')
  const contract = openShop(storage.store)
  const { clock } = contract.host
  const metrics = createMetrics({ ...storage, clock }, TE.right([]))
  const entry = await contract.claimOne(await contract.placeAndSubmit(), 'sms')
  const result = finishedAs()
  for (const decide of [() => E.left({ message: 'a fault of ours' }), undefined]) {
    const completion = { result, ...(decide && { decide }) }
    const completed = await unwrap(contract.store.complete(entry, completion))
    metrics.recordCompletion(entry, { attemptResult: result, error: null }, completed)
  }
  contract.advance(HOUR)
  const samples = parseSamples(await metrics.scrape(0))
  expect(samples.get('plazo_stuck')).toBe(1)
  expect(samples.get('plazo_attempts_total{event="sms",outcome="stuck"}')).toBe(1)
  expect(samples.get('plazo_attempts_total{event="sms",outcome="lost"}')).toBe(1)
  expect(samples.get('plazo_oldest_due_seconds{class="event"}')).toBe(3_600)
})
