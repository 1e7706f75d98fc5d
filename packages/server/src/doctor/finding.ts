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

/** `todo`: the advice if it is wrong. */
export const judge = (check: string, isRight: boolean, says: string, todo: string): Finding => ({
  check,
  ok: isRight,
  says,
  todo: isRight ? null : todo,
})

export const ok = (check: string, says: string): Finding => judge(check, true, says, '')

export const problem = (check: string, says: string, todo: string): Finding =>
  judge(check, false, says, todo)
