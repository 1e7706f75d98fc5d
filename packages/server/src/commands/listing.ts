// People read columns under headings, and pipes read tab-separated lines, one for each row: this prints a list as either.
import { hint, say } from './terminal.ts'

export type Row = readonly (string | null)[]

/** A merchant's text may contain tabs, or line breaks that would imitate our own lines. */
export const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')

const formatCell = (cell: string | null): string => onOneLine(cell || '-')

/** A null or empty cell is printed as `-`. */
export const formatTabbed = (rows: readonly Row[]): string =>
  rows.map((row) => row.map(formatCell).join('\t')).join('\n')

export const formatColumns = (headings: readonly string[], rows: readonly Row[]): string => {
  const lines = [headings.map((head) => head.toUpperCase()), ...rows.map((row) => row.map(formatCell))]
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `none`: the message to people if the list is empty; a pipe then gets nothing. */
export const sayList = (headings: readonly string[], rows: readonly Row[], none = 'There are none.'): void =>
  rows.length === 0 ? hint(none) : say(process.stdout.isTTY ? formatColumns(headings, rows) : formatTabbed(rows))
