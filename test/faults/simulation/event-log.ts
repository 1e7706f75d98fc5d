// Records line by line what happened in a world. A digest of all lines shows that the same seed
// repeats the same story; the lines of one order show what went wrong.
import { createHash } from 'node:crypto'

export type Violation = {
  /** The name of the law that was broken. */
  readonly law: string
  readonly order: number | null
  readonly sentence: string
  readonly at: number
}

export type EventLine = {
  readonly at: number
  readonly order: number | null
  readonly what: string
}

export type Tally = { readonly [group: string]: { readonly [name: string]: number } }

export type EventLog = {
  /** `order`: the order's number; null for lines that concern all orders. */
  readonly log: (order: number | null, what: string) => void
  readonly count: (group: string, name: string, by?: number) => void
  /** Only the first violation of a law by an order counts. */
  readonly reportViolation: (law: string, order: number | null, sentence: string) => void
  readonly lines: readonly EventLine[]
  readonly violations: readonly Violation[]
  readonly tally: () => Tally
  /** The digest of every line so far, byte for byte. */
  readonly digest: () => string
}

const LINES_MAX = 200_000

export const createEventLog = (now: () => number): EventLog => {
  const hash = createHash('sha256')
  const lines: EventLine[] = []
  const violations: Violation[] = []
  const tally: Record<string, Record<string, number>> = {}
  const log = (order: number | null, what: string): void => {
    const at = now()
    hash.update(`${at} ${order} ${what}\n`)
    if (lines.length < LINES_MAX) lines.push({ at, order, what })
  }
  return {
    log,
    count: (group, name, by = 1) => {
      const counts = tally[group] ?? {}
      counts[name] = (counts[name] ?? 0) + by
      tally[group] = counts
    },
    reportViolation: (law, order, sentence) => {
      if (violations.some((violation) => violation.law === law && violation.order === order)) return
      log(order, `VIOLATION of ${law}: ${sentence}`)
      violations.push({ law, order, sentence, at: now() })
    },
    lines,
    violations,
    tally: () => tally,
    digest: () => hash.copy().digest('hex'),
  }
}

/** Adds two tallies. */
export const addTallies = (a: Tally, b: Tally): Tally => {
  const sum: Record<string, Record<string, number>> = {}
  for (const each of [a, b])
    for (const [group, counts] of Object.entries(each))
      for (const [name, count] of Object.entries(counts)) {
        const into = sum[group] ?? {}
        into[name] = (into[name] ?? 0) + count
        sum[group] = into
      }
  return sum
}

const clock = (millis: number): string =>
  `${Math.floor(millis / 86_400_000)}d ${new Date(millis).toISOString().slice(11, -1)}`

/** The lines of these orders, and the lines that concern all orders. */
export const formatEvents = (lines: readonly EventLine[], orders: ReadonlySet<number>): string =>
  lines
    .filter(({ order }) => order === null || orders.has(order))
    .map(
      ({ at, order, what }) => `  ${clock(at)}  ${order === null ? '' : `order ${order}: `}${what}`,
    )
    .join('\n')

/** A line for each group. */
export const tallyText = (tally: Tally): string =>
  Object.entries(tally)
    .map(([group, counts]) => `${group}: ${JSON.stringify(counts)}`)
    .join('\n')
