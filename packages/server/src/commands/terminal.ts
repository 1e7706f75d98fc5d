// How a command speaks to whoever sits at the terminal.
import type { Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** What is wrong with what was asked for: shown as it is, without a stack. */
class Refusal extends Error {}

export const refuse = (...lines: readonly string[]): never => {
  throw new Refusal(lines.join('\n'))
}

const DOCTOR_KNOWS = '`plazo doctor` says what is wrong with the database.'

export const wrong = (option: string, given: string, wanted: string): never =>
  refuse(`${option} must be ${wanted} (got ${JSON.stringify(given)}).`)

export const wholeNumber = (option: string, given: string, highest: number): number =>
  /^[1-9]\d{0,8}$/.test(given) && Number(given) <= highest
    ? Number(given)
    : wrong(option, given, `a whole number from 1 to ${highest}`)

type Tagged = { readonly _tag: string }

const isUnavailable = (error: Tagged): error is Unavailable => error._tag === 'Unavailable'

/** What a command says of each error that is its own. */
type Words<Own extends Tagged> = {
  readonly [Tag in Own['_tag']]: (error: Extract<Own, { readonly _tag: Tag }>) => string | readonly string[]
}

type OrRefuse = {
  <A>(task: TaskEither<Unavailable, A>): Promise<A>
  <Own extends Tagged, A>(task: TaskEither<Own | Unavailable, A>, words: Words<Own>): Promise<A>
}

/** The answer, or a refusal: in the command's words, or in the database's, with who knows more of it. */
export const orRefuse: OrRefuse = async <Own extends Tagged, A>(
  task: TaskEither<Own | Unavailable, A>,
  words?: { readonly [tag in string]?: (error: Own) => string | readonly string[] },
): Promise<A> => {
  const answer = await task()
  if (E.isRight(answer)) return answer.right
  const error = answer.left
  return isUnavailable(error)
    ? refuse(error.message, DOCTOR_KNOWS)
    : refuse(...[words?.[error._tag]?.(error) ?? []].flat())
}

// What a terminal obeys, and what turns the order of letters round; line breaks and tabs apart. Of JSON only what it leaves as it
// is, and its own escape means the same there.
const OBEYED = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu

const escaped = (text: string): string =>
  text.replaceAll(OBEYED, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Merchants’ own words too: a terminal shows them, and does nothing they say. */
export const say = (text: string): void => {
  process.stdout.write(`${escaped(text)}\n`)
}

/** What is worth knowing beside the answer; not for a pipe. */
export const hint = (text: string): void => {
  process.stderr.write(`${escaped(text)}\n`)
}

/** How far a long command is: one line that changes on a terminal, one line each time elsewhere. Not for a pipe. */
export const tellProgress = (text: string): void => {
  process.stderr.write(process.stderr.isTTY ? `\r${text}` : `${text}\n`)
}

/** What is said next stands on a line of its own. */
export const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\n')
}
