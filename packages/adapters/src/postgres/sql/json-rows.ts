// Many rows are one JSON value of a statement, so that one statement writes many orders.

// Every write passes here. An array of each row's entries would cost a submission 3 % of its CPU time.
const encodeRow = (row: object): object => {
  const encoded: Record<string, unknown> = { ...row }
  for (const name in encoded) {
    const value = encoded[name]
    if (Buffer.isBuffer(value)) encoded[name] = value.toString('base64')
  }
  return encoded
}

/** Rows as the JSON value of a statement. Bytes are base64, which `bytes` reads. */
export const encodeRows = (rows: readonly object[]): string => JSON.stringify(rows.map(encodeRow))

/** The SQL that reads the bytes of a column of `encodeRows`. */
export const bytes = (column: string): string => `decode(${column}, 'base64')`
