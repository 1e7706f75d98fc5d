// Durable first submissions a second over HTTP at 50 connections, on each store beside its limit: a bare handler that
// group-commits rows of the same number and bytes.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { newKeyring, seal, sealer } from '@plazo/adapters/sealing'
import { openDatabase } from '@plazo/adapters/sqlite'
import type { Work } from '@plazo/core'
import { PERSON } from '../support/shop.ts'
import { flushesUnder } from './flushes.ts'
import { type Load, request, run } from './load.ts'
import { CONNECTIONS } from './orders.ts'
import type { Asked, Measured, Part } from './part.ts'
import { startPlazo } from './plazo.ts'
import { openOrders, placeMany, submitMany } from './plazo-orders.ts'
import { startProcess } from './processes.ts'
import { inRounds, type Sample } from './rounds.ts'
import { called, type StoreName, type Stores } from './stores.ts'

const ORDERS = { full: 5000, small: 300 } as const
const SAMPLE = 200

type Bytes = { readonly order: number; readonly journal: number; readonly effect: number; readonly stored: number }

const sealedLength = (work: Work): number =>
  seal(sealer(newKeyring()).makeKey('').dataKey, 'work 2:sms', JSON.stringify(work)).length

/** What a first submission writes, read off the rows of a few. */
const bytesWritten = async (stores: Stores): Promise<Bytes> => {
  const url = await stores.fresh('sqlite')
  const { port, stop } = await startPlazo(url)
  await openOrders(port, SAMPLE, CONNECTIONS)
  await stop()
  const db = openDatabase(url.slice('sqlite:'.length))
  const one = (sql: string): number => Number(db.prepare(sql).pluck().get())
  const bytes = {
    order: one('select round(avg(length(snapshot))) from orders where revision = 2'),
    journal: one('select round(avg(length(input))) from journal where seq = 2'),
    // The SMS rows are gone once they are sent: their size is what the code and the text make it.
    effect: sealedLength({ kind: 'sms', to: PERSON.mobile_phone, text: 'Your code is 12345.', code: '12345' }),
    stored: one(
      'select round(avg(length(placed) + length(snapshot) + length(order_ref) + length(merchant_ref))) from orders join placements on order_id = id where revision = 2',
    ),
  }
  db.close()
  return bytes
}

const drained = async (port: number): Promise<void> => {
  const body = JSON.stringify({ seconds: 0 })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}/sandbox/clock/advance`, { method: 'POST', headers, body })
  await answer.text()
}

const startBare = async (store: StoreName, stores: Stores, { order, journal, effect }: Bytes) => {
  const sizes = [order, journal, effect, 1].map(String)
  return store === 'sqlite'
    ? startProcess('./bare-server.ts', [join(stores.folder, 'bare.db'), ...sizes])
    : startProcess('./bare-postgres.ts', [await stores.fresh('postgres'), ...sizes])
}

const measure = async ({ stores, on, rounds, size, say }: Asked): Promise<Measured> => {
  const count = ORDERS[size]
  const flushes = flushesUnder(stores.folder)
  const counted = async (load: () => Promise<Load>): Promise<Sample> => {
    const before = flushes?.() ?? 0
    const { perSecond, p50, p99 } = await load()
    const flushed = (flushes?.() ?? 0) - before
    return { submissionsPerSecond: perSecond, p50, p99, ...(flushes && { answersPerFlush: count / flushed }) }
  }
  const bytes = await bytesWritten(stores)
  const contenders: Record<string, () => Promise<Sample>> = {}
  const stops: (() => Promise<unknown>)[] = []
  try {
    for (const store of on) {
      const plazo = await startPlazo(await stores.fresh(store))
      stops.push(plazo.stop)
      contenders[`plazo on ${called[store]}`] = async () => {
        const refs = await placeMany(plazo.port, count, CONNECTIONS)
        await drained(plazo.port)
        const sample = await counted(() => submitMany(plazo.port, refs, CONNECTIONS))
        await drained(plazo.port)
        return sample
      }
      const bare = await startBare(store, stores, bytes)
      stops.push(bare.stop)
      contenders[`bare group commit on ${called[store]}`] = async () => {
        const refs = Array.from({ length: count }, () => randomUUID())
        await run(bare.port, [request('POST', '/place', JSON.stringify(refs))], 1)
        return counted(() => submitMany(bare.port, refs, CONNECTIONS))
      }
    }
    // The compiler's own time belongs to nobody's round.
    for (const once of Object.values(contenders)) await once()
    return { ...(await inRounds(contenders, rounds, say)), facts: { storedOrderBytes: bytes.stored } }
  } finally {
    for (const stop of stops) await stop()
  }
}

export const submissions: Part = {
  name: 'submissions',
  about: 'durable first submissions a second, beside a bare handler that group-commits the same rows',
  measure,
}
