// An invariant is a claim that holds in every history of an order, written as pure functions of a
// trace. Each clause names the parts of a trace that it needs. If a source cannot see them, the
// clause is reported as not checked instead of passed.
import type { EntryOf, Part, Trace, TraceEntry } from '../trace/trace.ts'

/** A violation of a claim: a sentence, and the place in the trace. */
export type Violation = {
  readonly invariant: string
  readonly section: string
  readonly clause: string
  readonly sentence: string
  /** The index in the trace; null if the trace as a whole violates the claim. */
  readonly index: number | null
}

/**
 * What contradicts a claim. `index` is the entry of the trace where it shows; null if no single
 * entry shows it.
 */
export type Finding = { readonly sentence: string; readonly index: number | null }

/** A claim in one sentence that can be false. */
export type Clause = {
  readonly claim: string
  readonly needs: readonly Part[]
  /** Returns the first violation, or null. */
  readonly check: (trace: Trace) => Finding | null
}

/** A claim about every history of an order, made of clauses. */
export type Invariant = {
  readonly number: number
  readonly name: string
  /** The section of the documents that demands it, as in `Interface §4.1`. */
  readonly section: string
  readonly clauses: readonly Clause[]
}

/** A clause that needs parts of a trace which its source cannot see. */
export type UncheckedClause = {
  readonly invariant: string
  readonly clause: string
  readonly lacks: readonly Part[]
}

/** The result of judging one trace. */
export type Examination = {
  readonly violations: readonly Violation[]
  /** The claims that were checked against the trace. */
  readonly checked: readonly string[]
  readonly notChecked: readonly UncheckedClause[]
}

/** A finding at an entry of the trace. */
export const findingAt = (index: number | null, sentence: string): Finding => ({ sentence, index })

/** Applies `judge` to every entry, and returns the first violation that it reports. */
export const firstEntry =
  (judge: (each: TraceEntry, trace: Trace, index: number) => string | null) =>
  (trace: Trace): Finding | null => {
    for (const [index, each] of trace.entries.entries()) {
      const sentence = judge(each, trace, index)
      if (sentence !== null) return findingAt(index, sentence)
    }
    return null
  }

/** Applies `judge` to every entry of a part, and returns the first violation that it reports. */
export const firstOf = <P extends TraceEntry['part']>(
  part: P,
  judge: (each: EntryOf<P>, trace: Trace, index: number) => string | null,
) =>
  firstEntry((each, trace, index) =>
    each.part === part ? judge(each as EntryOf<P>, trace, index) : null,
  )

/**
 * The first violation of an invariant by a trace, among the clauses that can be checked; null if
 * there is none.
 */
export const violationOf = (invariant: Invariant, trace: Trace): Violation | null => {
  const [first = null] = examine(trace, [invariant]).violations
  return first
}

/**
 * Checks a trace against invariants. Returns the violations, the claims checked, and those that
 * could not be checked.
 */
export const examine = (trace: Trace, invariants: readonly Invariant[]): Examination => {
  const violations: Violation[] = []
  const checked: string[] = []
  const notChecked: UncheckedClause[] = []
  for (const { name, section, clauses } of invariants)
    for (const { claim, needs, check } of clauses) {
      const lacks = needs.filter((part) => !trace.observes.includes(part))
      if (lacks.length > 0) {
        notChecked.push({ invariant: name, clause: claim, lacks })
        continue
      }
      checked.push(claim)
      const finding = check(trace)
      if (finding !== null) violations.push({ invariant: name, section, clause: claim, ...finding })
    }
  return { violations, checked, notChecked }
}

/** A violation as readable text, with the entries of the trace before it. */
export const formatViolation = (
  { entries }: Trace,
  { invariant, section, clause, sentence, index }: Violation,
): string => {
  const start = Math.max(0, (index ?? 0) - 3)
  const around = index === null ? [] : entries.slice(start, index + 1)
  const lines = around.map((each, offset) => {
    const { part, at, ...rest } = each
    const text = JSON.stringify(each.part === 'step' ? { journal: each.step.journal } : rest)
    return `  ${start + offset} ${new Date(at).toISOString()} ${part} ${text.slice(0, 400)}`
  })
  return [`${invariant}: ${sentence}`, `  (${clause}; ${section})`, ...lines].join('\n')
}
