// Commands print their answers and hints through this file: a merchant's text in them must not
// control the operator's terminal.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** A request that a command refuses. Its message is printed without a stack trace. */
class Refusal extends Error {}

export const refuse = (...lines: readonly string[]): never => {
  throw new Refusal(lines.join('\n'))
}

const DOCTOR_HINT = 'Run `plazo doctor` for a diagnosis of the database.'

export const refuseValue = (option: string, value: string, expected: string): never =>
  refuse(`${option} must be ${expected} (got ${JSON.stringify(value)}).`)

export const wholeNumber = (option: string, value: string, highest: number): number =>
  /^[1-9]\d{0,8}$/.test(value) && Number(value) <= highest
    ? Number(value)
    : refuseValue(option, value, `a whole number from 1 to ${highest}`)

type Failure = { readonly _tag: string }

const isUnavailable = (error: Failure): error is Unavailable => error._tag === 'Unavailable'

/**
 * Returns the answer or refuses. A database error gets the database's message and a pointer to
 * `plazo doctor`.
 *
 * @param explain the command's message for each of its own errors
 */
export const valueOrRefuse = async <Own extends Failure, A>(
  task: TaskEither<Own | Unavailable, A>,
  explain: (error: Exclude<Own, Unavailable>) => string | readonly string[] = () => [],
): Promise<A> => {
  const answer = await task()
  if (E.isRight(answer)) return answer.right
  const error = answer.left
  if (isUnavailable(error)) return refuse(error.message, DOCTOR_HINT)
  return refuse(...[explain(error as Exclude<Own, Unavailable>)].flat())
}

// Control characters that a terminal obeys (except line breaks and tabs), and characters that
// change the direction of text. In JSON it meets only characters that JSON leaves unescaped, and
// the escape means the same there.
const CONTROL_CHARACTERS = /(?!\r\n)[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu

export const escapeControls = (text: string): string =>
  text.replaceAll(
    CONTROL_CHARACTERS,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * Prints to standard output. The text may contain a merchant's words: a terminal shows them, but
 * never obeys them.
 *
 * @param alarm printed before the text; a terminal shows it in red. NO_COLOR and FORCE_COLOR decide
 *   otherwise.
 */
export const say = (text: string, alarm = ''): void => {
  const red = alarm && styleText('red', alarm, { stream: process.stdout })
  process.stdout.write(`${red}${escapeControls(text)}\n`)
}

/** Prints a remark to standard error, so that a pipe does not get it. */
export const hint = (text: string): void => {
  process.stderr.write(`${escapeControls(text)}\n`)
}

/** Where a command asks, and where it reads the answer. */
export type Terminal = {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream
}

const NOWHERE = new Writable({ write: (_chunk, _encoding, done) => done() })

/**
 * Asks on standard error for a line. `isHidden`: the terminal does not show what is typed. Refuses
 * if the terminal is closed instead.
 */
export const askLine = async (
  question: string,
  { stdin, stderr }: Terminal,
  isHidden: boolean,
): Promise<string> => {
  // Without an output of the reader's, only the terminal itself shows what is typed.
  const reader = createInterface({ input: stdin, output: NOWHERE, terminal: isHidden })
  stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('line', resolve)
      reader.once('close', () => reject(new Error('closed')))
    })
  } catch {
    return refuse('Nothing was typed, so nothing was changed.')
  } finally {
    reader.close()
    if (isHidden) stderr.write('\n')
  }
}

/** The option `--yes` of a command that cannot be undone. */
export type Yes = { readonly yes?: boolean }

/**
 * Asks before something that cannot be undone, and refuses without a yes.
 *
 * @param consequence what the command will do, in sentences
 * @param isAnswered by `--yes`, for a script
 */
export const requireYes = async (
  consequence: string,
  isAnswered = false,
  terminal: Terminal = process,
): Promise<void> => {
  if (isAnswered) return
  const text = escapeControls(`${consequence}\nThis cannot be undone.`)
  if (terminal.stdin.isTTY !== true)
    return refuse(
      text,
      'Nothing was done, because there is no terminal to ask at. Add --yes to do it without a question.',
    )
  const answer = await askLine(`${text}\nDo it? Type yes: `, terminal, false)
  if (!/^\s*y(es)?\s*$/i.test(answer)) refuse('You did not type yes, so nothing was done.')
}

export type Row = readonly (string | null)[]

/** A merchant's text may contain tabs, or line breaks that would imitate our own lines. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')

const formatCell = (cell: string | null): string => onOneLine(cell || '-')

/** The headings, then each row. A null or empty cell is printed as `-`. */
export const formatList = (
  headings: readonly string[],
  rows: readonly Row[],
  isTerminal: boolean,
): string => {
  const lines = [
    headings.map((head) => head.toUpperCase()),
    ...rows.map((row) => row.map(formatCell)),
  ]
  if (!isTerminal) return lines.map((cells) => cells.join('\t')).join('\n')
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  )
  const padded = lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  return padded.map((cells) => cells.join('  ').trimEnd()).join('\n')
}

/**
 * People read columns, and pipes read tab-separated lines, one for each row: this prints a list
 * under headings as either. `none`: the message to people if the list is empty; a pipe then gets
 * nothing.
 */
export const sayList = (
  headings: readonly string[],
  rows: readonly Row[],
  none = 'None found.',
): void => {
  if (rows.length === 0) hint(none)
  else say(formatList(headings, rows, process.stdout.isTTY))
}
