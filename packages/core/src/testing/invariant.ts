// An invariant: a claim that holds in every history of an order, as pure functions of a trace. Each of its clauses says
// what it needs to see, so that a source that sees less has it listed as not checked instead of passed.
import type { Part, Seen, Trace } from './trace.ts'

/** What went against a claim: a sentence, and where in the trace it was seen. */
export type Violation = {
  readonly invariant: string
  readonly clause: string
  readonly sentence: string
  /** The place in `seen`; null where the trace as a whole says so. */
  readonly index: number | null
}

export type Finding = { readonly sentence: string; readonly index: number | null }

/** A claim in one sentence that a reader could deny. */
export type Clause = {
  readonly claim: string
  readonly needs: readonly Part[]
  /** The first thing that goes against it, or null. */
  readonly violation: (trace: Trace) => Finding | null
}

export type Invariant = {
  readonly number: number
  readonly name: string
  readonly clauses: readonly Clause[]
}

export type Unchecked = { readonly invariant: string; readonly clause: string; readonly lacks: readonly Part[] }

export type Examined = {
  readonly violations: readonly Violation[]
  /** The claims that were held against the trace. */
  readonly checked: readonly string[]
  readonly notChecked: readonly Unchecked[]
}

export const found = (index: number | null, sentence: string): Finding => ({ sentence, index })

/** The first of a part that is not as it should be. */
export const firstOf =
  <P extends Seen['part']>(
    part: P,
    judge: (each: Extract<Seen, { part: P }>, trace: Trace, index: number) => string | null,
  ) =>
  (trace: Trace): Finding | null => {
    for (const [index, each] of trace.seen.entries()) {
      if (each.part !== part) continue
      const sentence = judge(each as Extract<Seen, { part: P }>, trace, index)
      if (sentence !== null) return found(index, sentence)
    }
    return null
  }

/** The first violation of an invariant by a trace, among the clauses that can be checked; null if there is none. */
export const violationOf = (invariant: Invariant, trace: Trace): Violation | null => {
  const [first = null] = examine(trace, [invariant]).violations
  return first
}

/** Holds a trace against invariants: what was violated, what was checked, and what could not be. */
export const examine = (trace: Trace, invariants: readonly Invariant[]): Examined => {
  const violations: Violation[] = []
  const checked: string[] = []
  const notChecked: Unchecked[] = []
  for (const { name, clauses } of invariants)
    for (const { claim, needs, violation } of clauses) {
      const lacks = needs.filter((part) => !trace.observes.includes(part))
      if (lacks.length > 0) {
        notChecked.push({ invariant: name, clause: claim, lacks })
        continue
      }
      checked.push(claim)
      const finding = violation(trace)
      if (finding !== null) violations.push({ invariant: name, clause: claim, ...finding })
    }
  return { violations, checked, notChecked }
}

/** A violation as a person reads it, with what was seen around it. */
export const told = ({ seen }: Trace, { invariant, clause, sentence, index }: Violation): string => {
  const around = index === null ? [] : seen.slice(Math.max(0, index - 3), index + 1)
  const shown = around.map((each, offset) => {
    const { part, at, ...rest } = each
    const text = JSON.stringify(
      part === 'step' ? { journal: (each as { made: { journal: unknown } }).made.journal } : rest,
    )
    return `  ${Math.max(0, (index ?? 0) - 3) + offset} ${new Date(at).toISOString()} ${part} ${text.slice(0, 400)}`
  })
  return [`${invariant}: ${sentence}`, `  (${clause})`, ...shown].join('\n')
}
