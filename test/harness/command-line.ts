// Runs the `plazo` command as an operator does: in its own process, with only the given settings.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../../packages/server/src/cli.ts', import.meta.url))

type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type CommandLine = {
  readonly run: (...words: readonly string[]) => Promise<CommandResult>
  /** Parses the output of `--json`. Throws if the exit code is not 0. */
  readonly json: <A>(...words: readonly string[]) => Promise<A>
}

export const commandLine = (env: Readonly<Record<string, string>>): CommandLine => {
  const run: CommandLine['run'] = (...words) =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [CLI, ...words],
        { env: { PATH: process.env.PATH, ...env }, maxBuffer: 2 ** 26 },
        (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      )
    })
  return {
    run,
    json: async (...words) => {
      const { code, stdout, stderr } = await run(...words, '--json')
      if (code !== 0) throw new Error(`plazo ${words.join(' ')} ended with ${code}:\n${stderr}${stdout}`)
      return JSON.parse(stdout)
    },
  }
}
