// Orders' journals in PostgreSQL: all lines of an order, or one page of them.
import type { JournalLine } from '@plazo/core'
import { type FullStore, type OrderNotFound, orderNotFound } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { aadForInput } from '../../encryption/cipher.ts'
import { decodeStates } from '../../sql/decode-order-row.ts'
import { type Query, statement } from '../connection/connection.ts'
import type { DataKeys, KeyColumns } from '../encryption/data-keys.ts'
import type { OrderReader } from '../order-reader.ts'
import { runOrUnavailable } from '../unavailable.ts'

type HistoryRow = Pick<JournalLine, 'seq' | 'at' | 'event' | 'detail'> & {
  readonly from_state: string
  readonly to_state: string
}

type LineRow = HistoryRow & KeyColumns & { readonly input: Buffer | null }

const JOURNAL = statement('journal-read')`
  select j.seq, j.at, j.event, j.detail, j.from_state, j.to_state, j.input, k.key_id, k.tag, k.ciphertext
  from plazo.journal j join plazo.data_keys k on k.order_id = j.order_id
  where j.order_id = (select id from plazo.orders where order_ref = $1) order by j.seq limit $2`

// Reads backwards from `seq` by the primary key, and reads no more rows than it returns.
const HISTORY = statement('journal-history')`
  select seq, at, event, detail, from_state, to_state from plazo.journal
  where order_id = (select id from plazo.orders where order_ref = $1) and seq <= coalesce($2::integer, 2147483647) order by seq desc limit $3`

export const postgresJournal = (
  query: Query,
  readOrders: OrderReader['readOrders'],
  dataKeys: DataKeys,
): Pick<FullStore, 'journal' | 'history'> => {
  const ofExisting = <A>(orderRef: string, readLines: () => Promise<A>) =>
    runOrUnavailable(async (): Promise<E.Either<OrderNotFound, A>> => {
      const found = await readOrders([orderRef])
      return found.size === 0 ? E.left(orderNotFound) : E.right(await readLines())
    })

  return {
    journal: (orderRef, limit) =>
      ofExisting(orderRef, async () =>
        (await query<LineRow>(JOURNAL, orderRef, limit ?? null)).map(
          ({ input, key_id, tag, ciphertext, ...line }) => {
            const decrypt = (blob: Buffer): string =>
              dataKeys.decrypt(orderRef, { key_id, tag, ciphertext }, aadForInput(line.seq), blob)
            return {
              ...decodeStates(line),
              input: input && (JSON.parse(decrypt(input)) as JournalLine['input']),
            }
          },
        ),
      ),

    history: (orderRef, from, limit) =>
      ofExisting(orderRef, async () => {
        // Reads one more line, with which the next page begins.
        const rows = await query<HistoryRow>(HISTORY, orderRef, from, limit + 1)
        return { lines: rows.slice(0, limit).map(decodeStates), next: rows[limit]?.seq ?? null }
      }),
  }
}
