// A program with its own PostgreSQL transaction: an order is committed with the program's rows, or
// not at all, and plazo keeps nothing in memory of what may be undone.
import { confirmOrder } from '@plazo/core'
import { openShop, unwrap } from '@plazo/core/internal/testing'
import type { Store } from '@plazo/core/ports'
import { baseContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import * as E from 'fp-ts/lib/Either.js'
import { Pool, type PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { storeThrough } from './store-through.ts'

const openProgram = async () => {
  const storage = await openPostgresTestStorage()
  const pool = new Pool({ connectionString: storage.url, max: 4 })
  // The database is emptied for the next test, and that ends connections which are still closing.
  pool.on('error', () => {})
  return {
    storage,
    pool,
    close: async () => {
      await pool.end()
      await storage.close()
    },
  }
}

type Program = Awaited<ReturnType<typeof openProgram>>

/** Runs in a transaction of the program, which ends as the result says. */
const transact = async <A>(
  { pool, storage }: Program,
  end: (result: A) => 'commit' | 'rollback',
  run: (store: Store, client: PoolClient) => Promise<A>,
): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await run(storage.within(client), client)
    await client.query(end(result))
    storage.notifyCommitted()
    return result
  } finally {
    client.release()
  }
}

/** Each operation in a transaction of its own. The process starts the jobs, and ends them. */
const storeOf = (program: Program): Store => {
  const { claim, complete, release, nextDueAt } = program.storage.store
  const within = storeThrough(
    (operate) => () =>
      transact(
        program,
        (result) => (E.isRight(result) ? 'commit' : 'rollback'),
        (store) => operate(store)(),
      ),
  )
  return { ...within, claim, complete, release, nextDueAt }
}

// Concurrent transactions of one order wait for its row in no promised order (`arrivalOrder`).
baseContract(runner, 'a store within transactions of the program', async () => {
  const program = await openProgram()
  return {
    store: storeOf(program),
    isSlow: true,
    close: program.close,
  }
})

describe('a store within a transaction of the program', () => {
  const openTested = async () => {
    const program = await openProgram()
    await program.pool.query('create table baskets (id text)')
    onTestFinished(async () => {
      // Another test may get this database.
      await program.pool.query('drop table baskets')
      await program.close()
    })
    return { ...program, shop: openShop(program.storage.store) }
  }

  it('remembers nothing that a savepoint has undone, and the process remembers nothing of it', async () => {
    const { shop, ...program } = await openTested()
    const orderRef = await shop.placeConfirming()
    const confirm = (store: Store) =>
      confirmOrder({ ...shop.host, store })({ account: 'demo' }, orderRef, {
        order: { state: 'confirmed' },
      })()
    await transact(
      program,
      () => 'commit',
      async (store, client) => {
        await client.query('savepoint mine')
        expect(E.isRight(await confirm(store))).toBe(true)
        await client.query('rollback to mine')
        const order = await unwrap(store.read(orderRef))
        expect(order.context.merchantConfirmed).toBe(false)
      },
    )
    expect((await shop.read(orderRef)).context.merchantConfirmed).toBe(false)
    expect(E.isRight(await confirm(shop.store))).toBe(true)
    expect((await shop.read(orderRef)).context.merchantConfirmed).toBe(true)
  })
})
