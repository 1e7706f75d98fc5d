// The command line must explain itself: every command in its help, and every mistake with advice.
// Contract §7.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orderGraph } from '@plazo/core/machine'
import { describe, expect, it } from 'vitest'
import { plazoCommand } from '../../../packages/server/src/cli/plazo.ts'
import { sandboxCommands } from '../../../packages/server/src/cli/sandbox-commands.ts'
import { commandLine } from '../../harness/command-line.ts'

const machineFolder = fileURLToPath(new URL('../../../docs/machine/', import.meta.url))

const plazo = commandLine({ DATABASE_URL: 'sqlite::memory:' })

type Command = ReturnType<typeof plazoCommand>['commands'][number]
type NamedCommand = { readonly words: readonly string[]; readonly command: Command }

/** Every command without subcommands. */
const leaves = (command: Command, words: readonly string[] = []): readonly NamedCommand[] =>
  command.commands.length === 0
    ? [{ words, command }]
    : command.commands.flatMap((each) => leaves(each, [...words, each.name()]))

const helpOf = (command: Command): string => {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  return help
}

describe('every command', () => {
  const commands = leaves(plazoCommand(sandboxCommands()))

  it('has help with an example of the command, and can print JSON if it prints anything', () => {
    expect(commands.length).toBeGreaterThan(10)
    for (const { words, command } of commands) {
      const help = helpOf(command)
      expect(help).toMatch(/\nExamples?:\n/)
      expect(help).toMatch(new RegExp(`^ {2}(\\w+=\\S+ )*plazo ${words.join(' ')}`, 'm'))
      if (words[0] !== 'serve') expect(help).toContain('--json')
      expect(help).not.toContain('(default: [])')
    }
  })

  it('is documented, and the help lists the exit codes', () => {
    const page = readFileSync(join(machineFolder, '..', 'command-line.md'), 'utf8')
    for (const { words } of commands) for (const word of words) expect(page).toContain(word)
    expect(helpOf(plazoCommand(sandboxCommands()))).toContain('Exit codes: 0 ')
  })

  it('exits with 1 if an option is unknown or missing, and the help marks each that is required', async () => {
    expect(await plazo.run('orders', 'list', '--colour', 'red')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "error: unknown option '--colour'\nRun with --help for usage.\n",
    })
    expect((await plazo.run('merchant', 'set')).stderr).toMatch(
      /^error: required option '--merchant <ref>' not specified\n/,
    )
    const help = (await plazo.run('merchant', 'add', '--help')).stdout
    expect(help).toMatch(/--ref <ref> .* \(required\)\n/)
    expect(help).not.toMatch(/--json .*\(required\)/)
  })
})

describe('plazo machine', () => {
  it('prints the contents of docs/machine', async () => {
    const readCommitted = (name: string): string =>
      readFileSync(join(machineFolder, name), 'utf8').trimEnd()
    expect((await plazo.run('machine')).stdout.trimEnd()).toBe(readCommitted('order.mmd'))
    expect(await plazo.json('machine')).toEqual(JSON.parse(JSON.stringify(orderGraph)))
  })
})
