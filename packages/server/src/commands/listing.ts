// A list as it is shown: under heads and in columns to people, and tab-separated, a line each, to whatever reads a pipe.
import { hint, say } from './terminal.ts'

export type Row = readonly (string | null)[]

/** What merchants have written may hold a tab, or lines that look like ours. */
export const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')

const shown = (cell: string | null): string => onOneLine(cell || '-')

/** What is null or empty shows as `-`. */
export const tabbed = (rows: readonly Row[]): string => rows.map((row) => row.map(shown).join('\t')).join('\n')

export const inColumns = (heads: readonly string[], rows: readonly Row[]): string => {
  const lines = [heads.map((head) => head.toUpperCase()), ...rows.map((row) => row.map(shown))]
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `none`: what there is none of, for people; what reads a pipe gets nothing then. */
export const sayList = (heads: readonly string[], rows: readonly Row[], none = 'There are none.'): void =>
  rows.length === 0 ? hint(none) : say(process.stdout.isTTY ? inColumns(heads, rows) : tabbed(rows))
