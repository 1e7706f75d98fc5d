// Checks that the database has the version that this plazo works on.
import { type Finding, ok, problem } from './finding.ts'

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
        'Start this version’s server once: it applies the rest.',
      )
    : problem(
        'migrations',
        `the database is of version ${version}, and this plazo knows ${latest}`,
        'Use the plazo that wrote it, or a later one.',
      )
}
