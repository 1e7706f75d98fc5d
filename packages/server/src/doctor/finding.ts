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

/** Checks that the database has the version that this plazo works on. */
export const migrationsFinding = ({
  version,
  latest,
}: {
  readonly version: number
  readonly latest: number
}): Finding => {
  if (version === latest) return ok('migrations', `all ${latest} are applied`)
  return version < latest
    ? problem(
        'migrations',
        `${version} of ${latest} are applied`,
        'Start the server of this version once. It applies the rest.',
      )
    : problem(
        'migrations',
        `the database has version ${version}, but this plazo supports versions up to ${latest}`,
        'Use the version of plazo that wrote it, or a later one.',
      )
}
