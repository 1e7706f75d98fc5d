// Lists the jobs that are stuck because of a fault of plazo's, and puts a stuck job back into its lane. Contract §6, Stuck.
import { effectKey, type JobNotFound, type Store, type StuckJob } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { placeOfMessage } from '../rows/places.ts'
import { type Connection, type Statement, trying } from './connection.ts'
import { rowOfKey } from './row-of-key.ts'
import type { KeyColumns, Vault } from './vault.ts'

type StuckRow = KeyColumns & {
  readonly order_ref: string
  readonly id: number
  readonly revision: number
  readonly lane: string
  readonly message: Buffer
}

const STUCK: Statement = {
  name: 'outbox-stuck',
  text: `
    select b.order_ref, b.id, b.revision, b.lane, b.message, k.key_id, k.tag, k.sealed
    from plazo.outbox b join plazo.data_keys k on k.order_ref = b.order_ref
    where b.state = 'stuck' order by b.id`,
}

const LOCK: Statement = {
  name: 'unpark-lock',
  text: 'update plazo.orders set version = version + 1 where order_ref = $1',
}

const UNPARK: Statement = {
  name: 'outbox-unpark',
  text: `
    update plazo.outbox b set message = null, due_at = $4, state = case when exists (
        select from plazo.outbox a
        where a.order_ref = b.order_ref and a.lane = b.lane and a.state in ('queued', 'pending', 'claimed'))
      then 'queued' else 'pending' end
    where b.state = 'stuck' and b.order_ref = $1 and b.revision = $2 and b.lane = $3 returning b.id`,
}

const entryUnknown: JobNotFound = { _tag: 'JobNotFound' }

/** `thenTelling`: like `trying`; on success it also reports that something may be due. */
export const stuckEntries = (
  { query, transaction }: Connection,
  vault: Vault,
  thenTelling: typeof trying,
): Pick<Store, 'stuck' | 'retryStuckJob'> => ({
  stuck: () =>
    trying(async () => {
      const rows = await query<StuckRow>(STUCK)
      return E.right(
        rows.map(({ order_ref, id, revision, lane, message, ...key }): StuckJob => {
          const isSealed = message[0] === 1
          return {
            key: effectKey(order_ref, revision, lane),
            orderRef: order_ref,
            message: isSealed
              ? vault.open(vault.keyFrom(order_ref, key), placeOfMessage(id), message)
              : message.toString(),
          }
        }),
      )
    }),

  retryStuckJob: (key, at) =>
    thenTelling((): Promise<E.Either<JobNotFound, void>> => {
      const named = rowOfKey(key)
      if (named === null) return Promise.resolve(E.left(entryUnknown))
      const { orderRef, revision, lane } = named
      return transaction(async (run) => {
        await run(LOCK, orderRef)
        const released = await run(UNPARK, orderRef, revision, lane, at)
        return released.length === 0 ? E.left(entryUnknown) : E.right(undefined)
      })
    }),
})
