// Every check reports its result in this shape: what it found, and what to do if something is wrong.

export type Finding = {
  readonly check: string
  readonly isWrong: boolean
  readonly says: string
  /** The advice; null if nothing is wrong. */
  readonly todo: string | null
}

export const ok = (check: string, says: string): Finding => ({ check, isWrong: false, says, todo: null })

export const problem = (check: string, says: string, todo: string): Finding => ({ check, isWrong: true, says, todo })

export const findingText = ({ check, isWrong, says, todo }: Finding): string =>
  `${isWrong ? 'WRONG' : 'ok'.padEnd(5)}  ${check.padEnd(16)} ${says}${todo === null ? '' : `\n${' '.repeat(7)}→ ${todo}`}`
