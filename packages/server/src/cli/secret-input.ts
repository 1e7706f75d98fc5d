// Every user of a machine can read the arguments of a command, and a shell keeps them in its
// history. So a command takes passwords and secrets from the terminal, from standard input or from
// the environment too.
import { text } from 'node:stream/consumers'
import { askLine, refuse, type Terminal } from './terminal.ts'

type Source = Terminal & {
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the secret of an option: its value, or standard input for `-`. Without a value (true) it is
 * the environment variable's, else what somebody types at the terminal, twice.
 */
export const readSecret = async (
  name: 'password' | 'secret',
  value: string | true,
  source: Source = process,
): Promise<string> => {
  // The line break at its end, which `echo` adds, does not belong to it.
  if (value === '-')
    return (
      (await text(source.stdin)).replace(/\r?\n$/, '') ||
      refuse(`--${name} is -, but standard input is empty.`)
    )
  if (value !== true) return value
  const variable = `MERCHANT_${name.toUpperCase()}`
  const fromEnvironment = source.env[variable]
  if (fromEnvironment) return fromEnvironment
  if (source.stdin.isTTY !== true)
    return refuse(`--${name} has no value. Pipe it in with \`--${name} -\`, or set ${variable}.`)
  const first = await askLine(`New ${name}: `, source, true)
  const second = await askLine(`The same ${name} again: `, source, true)
  return first === second ? first : refuse('You typed two different ones, so nothing was changed.')
}
