// The options of a command of the tests. All are texts.
import { parseArgs } from 'node:util'

/** A seed for a run that gives none. */
export const anySeed = (): string => String(Date.now() % 1_000_000)

/** With `--help`, prints the text and ends. `defaults`: an empty text is an option left out. */
export const commandOptions = <Name extends string>(
  help: string,
  defaults: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> => {
  const options = Object.entries<string>(defaults).map(
    ([name, text]) => [name, { type: 'string', default: text }] as const,
  )
  const { values } = parseArgs({
    options: { ...Object.fromEntries(options), help: { type: 'boolean' } },
  })
  if (values.help) {
    console.log(help)
    process.exit()
  }
  // Each has its default.
  return values as Record<Name, string>
}
