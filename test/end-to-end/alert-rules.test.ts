// The alert rules that operators copy ask only for metrics and labels that the server has, and their
// page names each of them.
import { readFileSync } from 'node:fs'
import { openSqlite } from '@plazo/adapters/sqlite'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { createMetrics } from '../../packages/server/src/host/prometheus.ts'

const read = (file: string): string =>
  readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8')

const rules = read('alerts.yml')

it('each rule asks for a metric that the server has', async () => {
  const { scrape } = createMetrics(openSqlite(':memory:'), TE.right([]))
  const text = await scrape(0)
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
  const metrics = [...rules.matchAll(/\bplazo_[a-z_]+/g)].map(([name]) => name)
  expect(metrics.length).toBeGreaterThan(4)
  for (const name of metrics) expect(names).toContain(name)
})

it('the page of the rules names each of them', () => {
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const named = [...read('README.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(named).toEqual(alerts)
})
