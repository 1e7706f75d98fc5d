// Every check reports its result in this shape: what it found, and what to do if something is
// wrong.

/** As `--json` prints it. */
export type Finding = {
  readonly check: string
  readonly ok: boolean
  readonly says: string
  /** The advice; null if nothing is wrong. */
  readonly todo: string | null
}

export const ok = (check: string, says: string): Finding => ({ check, ok: true, says, todo: null })

export const problem = (check: string, says: string, todo: string): Finding => ({
  check,
  ok: false,
  says,
  todo,
})

/** A check with two results. `todo`: the advice if something is wrong. */
export const judge = (
  check: string,
  isRight: boolean,
  { right, wrong, todo }: { readonly right: string; readonly wrong: string; readonly todo: string },
): Finding => (isRight ? ok(check, right) : problem(check, wrong, todo))

export const findingText = ({ check, ok: isRight, says, todo }: Finding): string =>
  `${isRight ? 'ok'.padEnd(5) : 'WRONG'}  ${check.padEnd(16)} ${says}${todo === null ? '' : `\n${' '.repeat(7)}→ ${todo}`}`
