// Measures durable first submissions per second over HTTP at 50 connections. The limit of each
// store is a bare handler that group-commits rows of the same number and size.
import { randomUUID } from 'node:crypto'
import { newKeyring } from '@plazo/adapters/internal/encryption'
import type { EffectPayload } from '@plazo/core/internal'
import { createCipher, encrypt } from '../../../packages/adapters/src/encryption/cipher.ts'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { PERSON } from '../../harness/shop.ts'
import { type Load, run } from './load.ts'
import { CONNECTIONS } from './orders.ts'
import { startPlazo, waitUntilDrained } from './plazo.ts'
import { openOrders, placeMany, submitMany } from './plazo-orders.ts'
import { startProcess } from './processes.ts'
import { type Contender, inRounds, type Part, type PartOptions, type Sample } from './rounds.ts'
import { called, type Stores } from './stores.ts'
import { request } from './wire.ts'

const ORDERS = { full: 10_000, small: 80 } as const
const SAMPLE = 200

// The row of an SMS is deleted once it is sent, so its size is computed.
const SMS: EffectPayload = {
  kind: 'sms',
  to: PERSON.mobile_phone,
  text: 'Your code is 12345.',
  code: '12345',
}

/** The bytes of the order, the line and the effect that a first submission writes. */
const bytesWritten = async (stores: Stores): Promise<readonly string[]> => {
  const url = await stores.fresh('sqlite')
  const { port, stop } = await startPlazo(url)
  await openOrders(port, SAMPLE, CONNECTIONS)
  await stop()
  const db = openDatabase(url.slice('sqlite:'.length))
  const one = (sql: string): string => String(db.prepare(sql).pluck().get())
  const { dataKey } = createCipher(newKeyring()).createKey('')
  const bytes = [
    one('select round(avg(length(snapshot))) from orders where revision = 2'),
    one('select round(avg(length(input))) from journal where seq = 2'),
    String(encrypt(dataKey, 'work 2:sms', JSON.stringify(SMS)).length),
  ]
  db.close()
  return bytes
}

const sampleOf = ({ perSecond, p50, p99 }: Load): Sample => ({
  submissionsPerSecond: perSecond,
  p50,
  p99,
})

const measure = async (options: PartOptions) => {
  const { stores, on, size } = options
  const count = ORDERS[size]
  const bytes = await bytesWritten(stores)
  const stops: (() => Promise<unknown>)[] = []

  const startMeasured = async (url: string) => {
    const { port, stop } = await startPlazo(url)
    stops.push(stop)
    return async () => {
      const refs = await placeMany(port, count, CONNECTIONS)
      await waitUntilDrained(port)
      const load = await submitMany(port, refs, CONNECTIONS)
      await waitUntilDrained(port)
      return sampleOf(load)
    }
  }
  const startBare = async (url: string) => {
    const { port, stop } = await startProcess('./bare-server.ts', [url, ...bytes])
    stops.push(stop)
    return async () => {
      const refs = Array.from({ length: count }, () => randomUUID())
      await run(port, [request('POST', '/place', JSON.stringify(refs))], 1)
      return sampleOf(await submitMany(port, refs, CONNECTIONS))
    }
  }

  try {
    const contenders: Record<string, Contender> = {}
    for (const store of on) {
      const limit = `bare group commit on ${called[store]}`
      contenders[`plazo on ${called[store]}`] = {
        measure: await startMeasured(await stores.fresh(store)),
        to: [limit],
      }
      contenders[limit] = { measure: await startBare(await stores.fresh(store)) }
    }
    // A first run, so that compilation counts for no round.
    for (const contender of Object.values(contenders)) await contender.measure()
    return await inRounds(contenders, options)
  } finally {
    for (const stop of stops) await stop()
  }
}

export const submissions: Part = {
  about:
    'durable first submissions a second, next to a bare handler that group-commits the same rows',
  measure,
}
