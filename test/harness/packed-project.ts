// A project that uses the packages as they are published: packed, and unpacked into an empty folder.
// Links to what is installed here stand for a registry.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { waitUntil } from './time.ts'

export const PACKAGES = ['core', 'adapters', 'server'] as const

const root = fileURLToPath(new URL('../..', import.meta.url))

// What a guide installs besides the packages, or a compiler needs.
const OTHERS = ['typescript', '@types/node', '@restatedev/restate-sdk']

type Names = Readonly<Record<string, string>>
type Manifest = {
  readonly [part in 'exports' | 'bin' | 'dependencies' | 'peerDependencies']?: Names
}

/** The programs of a page of `docs` in this language, in their order. */
export const programsOf = (page: string, language = 'ts'): readonly string[] => {
  const text = readFileSync(join(root, 'docs', page), 'utf8')
  const blocks = text.matchAll(new RegExp(`^ *\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'gm'))
  return [...blocks].map(([, program = '']) => program)
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

  const link = (dependency: string, from: string): void => {
    const path = join(modules, dependency)
    mkdirSync(dirname(path), { recursive: true })
    if (!readdirSync(dirname(path)).includes(dependency.split('/').at(-1) ?? ''))
      symlinkSync(join(from, 'node_modules', dependency), path)
  }

  const unpack = async (name: string): Promise<void> => {
    const [tarball = ''] = readdirSync(folder).filter((file) => file.startsWith(`plazo-${name}-`))
    mkdirSync(folderOf(name), { recursive: true })
    const words = ['-xzf', join(folder, tarball), '--strip-components=1', '-C', folderOf(name)]
    await runProgram('tar', words)
    const { dependencies = {}, peerDependencies = {} } = manifestOf(name)
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies }))
      if (!dependency.startsWith('@plazo/')) link(dependency, join(root, 'packages', name))
  }

  await runProgram('pnpm', ['packages', folder], root)
  for (const name of PACKAGES) await unpack(name)
  for (const name of OTHERS) link(name, root)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))

  return {
    folder,
    folderOf,
    manifestOf,
    runProgram,
    /** Resolves to what Node prints. */
    run: (...words: readonly string[]): Promise<string> => runProgram(process.execPath, words),
    write: (file: string, text: string): void => writeFileSync(join(folder, file), text),
    /** The command line of the unpacked server. */
    cli: join(folderOf('server'), manifestOf('server').bin?.plazo ?? ''),
    /** Runs a Node program until `stop`, at the latest until the test is over. */
    start: (words: readonly string[], environment: Names) => {
      const env = { PATH: process.env.PATH, ...environment }
      const stdio = ['ignore', 'pipe', 'inherit'] as const
      const child = spawn(process.execPath, words, { cwd: folder, env, stdio: [...stdio] })
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      let output = ''
      child.stdout?.on('data', (chunk) => {
        output += chunk
      })
      /** Resolves to the exit code. */
      const stop = (): Promise<number | null> => {
        child.kill()
        return ended
      }
      onTestFinished(async () => void (await stop()))
      return {
        printed: () => output,
        hasPrinted: (text: string) => waitUntil(() => output.includes(text)),
        stop,
      }
    },
  }
}

export type PackedProject = Awaited<ReturnType<typeof packProject>>
