// The code of the version before the first migration, as servers that run it are upgraded. It uses
// the present dependencies. The archive is a file and not read from git's history, because a
// shallow clone and a downloaded copy have none.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { temporaryPath } from '../../harness/ports-and-folders.ts'

/**
 * The packages without their tests, of the last commit whose database has version 1: 74ba0183. Made
 * by `git archive`.
 */
const ARCHIVE = new URL('./version-1.tar.br', import.meta.url)

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PACKAGES = ['core', 'adapters', 'server']

/** Paths of its programs. `remove` deletes it. */
export const unpackFormerVersion = () => {
  const { path, remove } = temporaryPath('former')
  mkdirSync(path)
  execFileSync('tar', ['-x', '-C', path], { input: brotliDecompressSync(readFileSync(ARCHIVE)) })
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  // Each package's links are relative, so the copies lead to the former packages and to the present
  // dependencies.
  for (const name of PACKAGES) {
    const links = join('packages', name, 'node_modules')
    cpSync(join(ROOT, links), join(path, links), { recursive: true, verbatimSymlinks: true })
  }
  return {
    main: join(path, 'packages/server/src/main.ts'),
    cli: join(path, 'packages/server/src/cli.ts'),
    remove,
  }
}
