// The differences between the SQL stores, for the texts that they share. A transaction is a generator of
// statements, because the two run it differently. SQLite runs it to its end at once, so that no other
// code of the process sees half of it. PostgreSQL awaits each statement.
import type { Unavailable } from '@plazo/core/ports'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EncryptedDataKey } from '../encryption/cipher.ts'
import type { Sealer } from '../store/seal.ts'
import type { Bind, Condition } from './order-conditions.ts'

/** Returns a statement. Values are bound in the order of its text. */
export type WriteText = (bind: Bind) => string

/** A transaction: yields its statements, gets the rows of each, and returns its result. */
export type Statements<A> = Generator<WriteText, A, readonly unknown[]>

/** Runs a statement of a transaction, and returns its rows. */
export function* ask<Row>(write: WriteText): Statements<readonly Row[]> {
  // Only the author of a statement knows the type of its rows.
  return (yield write) as readonly Row[]
}

/** The `count` lines of an order's journal that end with the one at `from`. Null: with the last. */
export type JournalPage = {
  readonly orderId: number
  readonly from: number | null
  readonly count: number
}

export type Dialect = {
  /** Before the name of each table. */
  readonly schema: string
  /**
   * Runs the statement that `write` returns. `name`: it is prepared once for each connection, so its
   * text never changes.
   */
  readonly query: <Row>(write: WriteText, name?: string) => Promise<readonly Row[]>
  /**
   * Runs statements that return rows as one transaction. Returns the rows of the last one.
   */
  readonly write: <Row>(statements: readonly WriteText[]) => Promise<readonly Row[]>
  readonly transaction: <Err, A>(
    start: () => Statements<E.Either<Err, A>>,
  ) => TaskEither<Err | Unavailable, A>
  readonly orUnavailable: <A>(run: () => Promise<A>) => TaskEither<Unavailable, A>
  /** As it is bound. A text that no order can have becomes a reference that none has. */
  readonly toOrderRef: (text: string) => string
  /** A text in SQL, as a value that `order_ref` is compared with. */
  readonly orderRefOf: (text: string) => string
  /** The function that gives the elements of a JSON array as rows with the column `value`. */
  readonly jsonElements: string
  /** The bytes of a hexadecimal text, in SQL. */
  readonly bytesOf: (hex: string) => string
  /** The condition that the row `j` is a line of the page, or an earlier line of the order. */
  readonly isInPage: (page: JournalPage, bind: Bind) => string
  /** The column of `j` that says where a page of the journal begins. */
  readonly cursor: string
  /** The condition that the row `o` is an entry of the index, with a number in the range. */
  readonly isInIndex: (
    index: NonNullable<Condition['index']>,
    below: () => string,
    oldest: () => string,
    bind: Bind,
  ) => string
  /** A statement that lets no other transaction write the table before this one has ended. */
  readonly lockTable: (table: string) => string
  /** At the end of a select: its rows are locked until the transaction ends. */
  readonly forUpdate: string
  /** The condition that no other writer of records runs before this transaction has ended. */
  readonly takeTurn: string
  readonly sealer: Sealer
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

/** The order's row number. */
export const orderIdOf = ({ schema, toOrderRef }: Dialect, orderRef: string, bind: Bind): string =>
  `(select id from ${schema}orders where order_ref = ${bind(toOrderRef(orderRef))})`

/** The data key of a row, as the sealer takes it. */
export const keyOf = ({ key_id, tag, ciphertext }: KeyRow): EncryptedDataKey => ({
  keyId: key_id,
  tag,
  ciphertext,
})

/** Opens a value of an order. Throws if another key encrypted it. */
export const openValue = (
  { sealer }: Dialect,
  orderRef: string,
  row: KeyRow,
  aad: string,
  value: Buffer,
): string => sealer.open(orderRef, keyOf(row), aad, value)
