// Runs the `plazo` command as an operator does: outside the test's process, with only the given
// settings.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const COMMAND_PROCESS = fileURLToPath(new URL('./command-process.ts', import.meta.url))

type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type CommandLine = {
  readonly run: (...words: readonly string[]) => Promise<CommandResult>
  /** Parses the output of `--json`. Throws if the exit code is not 0. */
  readonly json: <A>(...words: readonly string[]) => Promise<A>
}

/**
 * The words that add a merchant, with an account of the same name and password. `options`: by their
 * names, in place of these or in addition to them.
 */
export const merchantWords = (
  ref: string,
  options: Readonly<Record<string, string>> = {},
): readonly string[] => [
  ...['merchant', 'add'],
  ...Object.entries({
    ref,
    name: ref,
    username: ref,
    password: ref,
    currency: 'EUR',
    products: 'i1,pp3,sp1,fp1',
    ...options,
  }).flatMap(([name, value]) => [`--${name}`, value]),
]

/** The commands of a test file share a process, which ends with the file. */
let shared: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

const runInProcess = async (env: Readonly<Record<string, string>>, words: readonly string[]) => {
  shared ??= fork(COMMAND_PROCESS, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
  const { stderr } = shared
  const isOver = new AbortController()
  const answer = once(shared, 'message', isOver)
  const failure = once(shared, 'exit', isOver).then(([code]) => {
    throw new Error(
      `The process of plazo ${words.join(' ')} ended with ${code}:\n${stderr?.read() ?? ''}`,
    )
  })
  shared.send({ env, words })
  try {
    const [result] = await Promise.race([answer, failure])
    return result as CommandResult
  } finally {
    // Otherwise each run would leave a listener on the process.
    isOver.abort()
  }
}

export const commandLine = (env: Readonly<Record<string, string>>): CommandLine => {
  const run: CommandLine['run'] = (...words) => {
    const result = last.then(() => runInProcess(env, words))
    last = result.catch(() => {})
    return result
  }
  return {
    run,
    json: async (...words) => {
      const { code, stdout, stderr } = await run(...words, '--json')
      if (code !== 0)
        throw new Error(`plazo ${words.join(' ')} ended with ${code}:\n${stderr}${stdout}`)
      return JSON.parse(stdout)
    },
  }
}
