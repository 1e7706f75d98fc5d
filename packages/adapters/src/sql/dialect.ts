// What differs between the SQL stores, for the texts that they share.
import type { Unavailable } from '@plazo/core/ports'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Bind } from './order-conditions.ts'

export type Dialect = {
  /** Before the name of each table. */
  readonly schema: string
  /** Runs the statement that `write` returns. */
  readonly query: <Row>(write: (bind: Bind) => string) => Promise<readonly Row[]>
  readonly orUnavailable: <A>(run: () => Promise<A>) => TaskEither<Unavailable, A>
  /** As it is bound. A text that no order can have becomes a reference that none has. */
  readonly toOrderRef: (text: string) => string
}

/** An order's data key, as it is stored. */
export type KeyRow = {
  readonly order_id: number
  readonly key_id: string
  readonly tag: number
  readonly ciphertext: Buffer
}

// Read together with the values that it encrypts, because an erasure replaces it.
export const KEY = 'k.order_id, k.key_id, k.tag, k.ciphertext'

export type Decrypt = (orderRef: string, key: KeyRow, aad: string, blob: Buffer) => string

/** The order's row number. */
export const orderIdOf = ({ schema, toOrderRef }: Dialect, orderRef: string, bind: Bind): string =>
  `(select id from ${schema}orders where order_ref = ${bind(toOrderRef(orderRef))})`

/** A job by its row. */
export type JobKey = { readonly order_id: number; readonly id: number }
