// The code of the version before the first migration, taken from git's history, as servers that run it are upgraded. It uses the
// present dependencies.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryPath } from '../harness/ports-and-folders.ts'

/** The last commit whose database has version 1. */
const COMMIT = '74ba01837644059aeb7c50e5a7d77c82f88a4d60'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGES = ['core', 'adapters', 'server']
const ARCHIVE_BYTES_MAX = 2 ** 28

const archive = (): Buffer => {
  try {
    return execFileSync('git', ['archive', COMMIT, 'packages'], {
      cwd: ROOT,
      maxBuffer: ARCHIVE_BYTES_MAX,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    throw new Error(
      `The upgrade is tested with the code of commit ${COMMIT}, which this copy’s history does not have. Clone the repository with its whole history: git fetch --unshallow.`,
    )
  }
}

/** Paths of its programs. `remove` deletes it. */
export const unpackFormerVersion = () => {
  const { path, remove } = temporaryPath('former')
  mkdirSync(path)
  execFileSync('tar', ['-x', '-C', path], { input: archive() })
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  // Each package's links are relative, so the copies lead to the former packages and to the present dependencies.
  for (const name of PACKAGES) {
    const links = join('packages', name, 'node_modules')
    cpSync(join(ROOT, links), join(path, links), { recursive: true, verbatimSymlinks: true })
  }
  return { main: join(path, 'packages/server/src/main.ts'), cli: join(path, 'packages/server/src/cli.ts'), remove }
}
