// Every user of a machine can read the arguments of a command, and a shell keeps them in its
// history. So a command takes passwords and secrets from the terminal, from standard input or from
// the environment too.
import { askLine, refuse, type Terminal } from '../command-line/terminal.ts'

/**
 * An option for a secret: its text, `-` for standard input, or true if it is given without a value.
 */
export type SecretOption = string | true

type Source = Terminal & {
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the secret of an option. Without a value, it is the environment variable's, else what
 * somebody types at the terminal, twice.
 */
export const readSecret = async (
  option: string,
  value: SecretOption,
  variable: string,
  source: Source = process,
): Promise<string> => {
  if (value === '-') return readInput(option, source)
  if (value !== true) return value
  const { [variable]: fromEnvironment = '' } = source.env
  if (fromEnvironment !== '') return fromEnvironment
  if (source.stdin.isTTY !== true)
    return refuse(`${option} has no value. Pipe it in with \`${option} -\`, or set ${variable}.`)
  const first = await askLine(`New ${option.slice(2)}: `, source, true)
  const second = await askLine(`The same ${option.slice(2)} again: `, source, true)
  return first === second ? first : refuse('You typed two different ones, so nothing was changed.')
}

/** The line break at its end, which `echo` adds, does not belong to it. */
const readInput = async (option: string, { stdin }: Source): Promise<string> => {
  let text = ''
  for await (const chunk of stdin) text += String(chunk)
  return text.replace(/\r?\n$/, '') || refuse(`${option} is -, but standard input is empty.`)
}
