// Bytes that rows of JSON name by their number, in one value of their own: as base64 within the JSON, PostgreSQL would read
// them twice, and copy them with every row that a statement hands on.

type BytesBeside = {
  /** Rows as JSON, in which these columns' bytes are numbers. */
  readonly json: <Row extends object>(rows: readonly Row[], ...columns: readonly (keyof Row)[]) => string
  /** All of them, as a `bytea[]` in PostgreSQL's own format. */
  readonly value: () => Buffer
}

/** In a statement whose n-th value they are. */
export const bytesAt = (n: number, number: string): string => `($${n}::bytea[])[${number}]`

const BYTEA = 17

const arrayOf = (all: readonly Buffer[]): Buffer => {
  // How many dimensions, whether any is null, of what type; the length of the one dimension, and the number of its first.
  const head = all.length === 0 ? [0, 0, BYTEA] : [1, 0, BYTEA, all.length, 1]
  const array = Buffer.allocUnsafe(all.reduce((length, { byteLength }) => length + 4 + byteLength, head.length * 4))
  let at = 0
  for (const word of head) at = array.writeInt32BE(word, at)
  for (const bytes of all) {
    at = array.writeInt32BE(bytes.byteLength, at)
    at += bytes.copy(array, at)
  }
  return array
}

export const bytesBeside = (): BytesBeside => {
  const all: Buffer[] = []
  return {
    json: (rows, ...columns) =>
      JSON.stringify(
        rows.map((row) => {
          const named: { -readonly [column in keyof typeof row]: unknown } = { ...row }
          for (const column of columns) {
            const bytes = row[column]
            if (Buffer.isBuffer(bytes)) named[column] = all.push(bytes)
          }
          return named
        }),
      ),
    value: () => arrayOf(all),
  }
}
