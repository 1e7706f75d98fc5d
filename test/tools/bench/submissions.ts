// Measures durable first submissions per second over HTTP at 50 connections. The limit of each
// store is a bare handler that group-commits rows of the same number and size. A short burst is
// measured first, then a lasting load.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { newKeyring } from '@plazo/adapters/internal/encryption'
import type { EffectPayload } from '@plazo/core/internal'
import { createCipher, encrypt } from '../../../packages/adapters/src/encryption/cipher.ts'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { PERSON } from '../../harness/shop.ts'
import { flushesUnder } from './flushes.ts'
import { type Load, run } from './load.ts'
import { CONNECTIONS } from './orders.ts'
import { startPlazo, waitUntilDrained } from './plazo.ts'
import { openOrders, placeMany, submitMany } from './plazo-orders.ts'
import { startProcess } from './processes.ts'
import {
  type Contenders,
  inRounds,
  type Part,
  type PartOptions,
  type PartResult,
  type Sample,
} from './rounds.ts'
import { called, type StoreName, type Stores } from './stores.ts'
import { request } from './wire.ts'

const ORDERS = {
  full: { burst: 5000, lasting: 15_000 },
  small: { burst: 80, lasting: 80 },
} as const
const SAMPLE = 200

/**
 * Milliseconds without a request before each load. Without a pause, two loads would count as one.
 */
const QUIET = { full: 500, small: 0 } as const

const lastingName = (name: string): string => `${name}, lasting load`

type Bytes = {
  readonly order: number
  readonly journal: number
  readonly effect: number
  readonly stored: number
}

const encryptedLength = (payload: EffectPayload): number =>
  encrypt(createCipher(newKeyring()).createKey('').dataKey, 'work 2:sms', JSON.stringify(payload))
    .length

/** The sizes of what a first submission writes, read from a few stored rows. */
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
    // The SMS rows are deleted once they are sent, so their size is computed from the code and the
    // text.
    effect: encryptedLength({
      kind: 'sms',
      to: PERSON.mobile_phone,
      text: 'Your code is 12345.',
      code: '12345',
    }),
    stored: one(
      'select round(avg(length(placed) + length(snapshot) + length(order_ref) + length(merchant_ref))) from orders join placements on order_id = id where revision = 2',
    ),
  }
  db.close()
  return bytes
}

const startBare = async (store: StoreName, stores: Stores, { order, journal, effect }: Bytes) => {
  const sizes = [order, journal, effect, 1].map(String)
  return store === 'sqlite'
    ? startProcess('./bare-server.ts', [join(stores.folder, 'bare.db'), ...sizes])
    : startProcess('./bare-postgres.ts', [await stores.fresh('postgres'), ...sizes])
}

const measure = async ({ stores, on, rounds, size, say }: PartOptions): Promise<PartResult> => {
  const flushes = flushesUnder(stores.folder)
  const bytes = await bytesWritten(stores)
  const { burst, lasting } = ORDERS[size]
  const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, QUIET[size]))

  /** `sent` resolves when the jobs caused by the submissions have run too. */
  const countFlushes = async (
    load: () => Promise<Load>,
    countSent?: () => Promise<void>,
  ): Promise<Sample> => {
    await quiet()
    const before = flushes?.() ?? 0
    const startedAt = performance.now()
    const { perSecond, p50, p99, answers } = await load()
    const flushed = (flushes?.() ?? 0) - before
    await countSent?.()
    const seconds = (performance.now() - startedAt) / 1000
    return {
      submissionsPerSecond: perSecond,
      ...(countSent && { sentPerSecond: answers.length / seconds }),
      p50,
      p99,
      ...(flushes && { answersPerFlush: answers.length / flushed }),
    }
  }
  const atPlazo = (port: number) => async (count: number) => {
    const refs = await placeMany(port, count, CONNECTIONS)
    await waitUntilDrained(port)
    return countFlushes(
      () => submitMany(port, refs, CONNECTIONS),
      () => waitUntilDrained(port),
    )
  }
  const atBare = (port: number) => async (count: number) => {
    const refs = Array.from({ length: count }, () => randomUUID())
    await run(port, [request('POST', '/place', JSON.stringify(refs))], 1)
    return countFlushes(() => submitMany(port, refs, CONNECTIONS))
  }

  const measured: [name: string, submit: (count: number) => Promise<Sample>][] = []
  const stops: (() => Promise<unknown>)[] = []
  try {
    for (const store of on) {
      const plazo = await startPlazo(await stores.fresh(store))
      stops.push(plazo.stop)
      measured.push([`plazo on ${called[store]}`, atPlazo(plazo.port)])
      const bare = await startBare(store, stores, bytes)
      stops.push(bare.stop)
      measured.push([`bare group commit on ${called[store]}`, atBare(bare.port)])
    }
    // A first run, so that compilation counts for no round.
    for (const [, submit] of measured) await submit(burst)
    const contenders: Contenders = Object.fromEntries([
      ...measured.map(([name, submit]) => [name, () => submit(burst)] as const),
      ...measured.map(([name, submit]) => [lastingName(name), () => submit(lasting)] as const),
    ])
    return {
      ...(await inRounds(contenders, { rounds, size, say })),
      facts: { 'bytes of a stored order': bytes.stored },
    }
  } finally {
    for (const stop of stops) await stop()
  }
}

export const submissions: Part = {
  name: 'submissions',
  about:
    'durable first submissions a second, next to a bare handler that group-commits the same rows',
  measure,
}
