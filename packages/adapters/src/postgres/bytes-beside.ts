// Sends the bytes of many rows in one value of their own; the JSON rows refer to them by number. As base64 within the JSON,
// PostgreSQL would read them twice, and copy them with every row that it passes between the parts of a statement.

type BytesBeside = {
  /** Returns the rows as JSON. The bytes in these columns are replaced by numbers. */
  readonly json: <Row extends object>(rows: readonly Row[], ...columns: readonly (keyof Row)[]) => string
  /** Returns all bytes as one `bytea[]` in PostgreSQL's binary format. */
  readonly value: () => Buffer
}

/** The SQL that reads the bytes with this number, in a statement whose n-th value they are. */
export const bytesAt = (n: number, number: string): string => `($${n}::bytea[])[${number}]`

const BYTEA = 17

const arrayOf = (all: readonly Buffer[]): Buffer => {
  // The number of dimensions, whether any element is null, the element type; then the dimension's length and first index.
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
