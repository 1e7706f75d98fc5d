// What a check has found: how it stands, and what to do where it is wrong.

export type Finding = {
  readonly check: string
  readonly isWrong: boolean
  readonly says: string
  /** What to do, where something is wrong. */
  readonly todo: string | null
}

export const fine = (check: string, says: string): Finding => ({ check, isWrong: false, says, todo: null })

export const amiss = (check: string, says: string, todo: string): Finding => ({ check, isWrong: true, says, todo })
