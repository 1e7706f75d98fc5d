// A project that uses the packages as they are published: packed, and unpacked into an empty folder.
// Links to what is installed here stand for a registry.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PACKAGES = ['core', 'adapters', 'server'] as const

const root = fileURLToPath(new URL('../..', import.meta.url))

type Names = Readonly<Record<string, string>>
type Manifest = {
  readonly [part in 'exports' | 'bin' | 'dependencies' | 'peerDependencies']?: Names
}

// The commands of the runners that the kit has entries for.
const RUNNERS = {
  vitest: 'node node_modules/vitest/vitest.mjs run',
  node: 'node --test',
} as const

/** Links the installed dependency in place of that from a registry. */
export const linkPackage = (
  dependency: string,
  from: string,
  installed: string,
  modules: string,
): void => {
  mkdirSync(dirname(join(modules, dependency)), { recursive: true })
  rmSync(join(modules, dependency), { force: true })
  symlinkSync(join(from, 'node_modules', installed), join(modules, dependency))
}

/** Packs the packages of this repository into an empty folder and unpacks them there. */
export const packProject = async (folder: string) => {
  const modules = join(folder, 'node_modules')
  const folderOf = (name: string): string => join(modules, '@plazo', name)
  const manifestOf = (name: string): Manifest =>
    JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))

  /** Resolves to what the program prints. Rejects with all its output if the exit code is not 0. */
  const runProgram = (program: string, words: readonly string[], cwd = folder): Promise<string> =>
    new Promise((resolve, reject) =>
      execFile(program, words, { cwd }, (error, stdout, stderr) =>
        error === null
          ? resolve(stdout)
          : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
      ),
    )

  const unpackPackage = async (name: string): Promise<void> => {
    const [tarball = ''] = readdirSync(folder).filter((file) => file.startsWith(`plazo-${name}-`))
    mkdirSync(folderOf(name), { recursive: true })
    const words = ['-xzf', join(folder, tarball), '--strip-components=1', '-C', folderOf(name)]
    await runProgram('tar', words)
    const { dependencies = {}, peerDependencies = {} } = manifestOf(name)
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies }))
      if (!dependency.startsWith('@plazo/'))
        linkPackage(dependency, join(root, 'packages', name), dependency, modules)
  }

  await runProgram('pnpm', ['packages', folder], root)
  for (const name of PACKAGES) await unpackPackage(name)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  return {
    modules,
    folderOf,
    manifestOf,
    runProgram,
    /** The command line of the unpacked server. */
    cli: join(folderOf('server'), manifestOf('server').bin?.plazo ?? ''),
    /** How many tests pass in these files. Rejects if one fails. */
    countPassed: async (name: keyof typeof RUNNERS, files: string): Promise<number> => {
      const output = await runProgram('sh', ['-c', `${RUNNERS[name]} ${files} 2>&1`])
      const [, before, after] = [...output.matchAll(/(\d+) pass|pass (\d+)/g)].at(-1) ?? []
      return Number(before ?? after)
    },
  }
}
