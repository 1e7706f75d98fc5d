// Many rows are one JSON value of a statement, so that one statement writes many orders.

/** Rows as the JSON value of a statement. Bytes are base64, which `bytes` reads. */
export const encodeRows = (rows: readonly object[]): string =>
  JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString('base64') : value]),
      ),
    ),
  )

/** The SQL that reads the bytes of a column of `encodeRows`. */
export const bytes = (column: string): string => `decode(${column}, 'base64')`
