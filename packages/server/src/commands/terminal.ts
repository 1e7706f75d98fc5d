// How a command speaks to whoever sits at the terminal.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** What is wrong with what was asked for: shown as it is, without a stack. */
class Refusal extends Error {}

export const refuse = (...lines: readonly string[]): never => {
  throw new Refusal(lines.join('\n'))
}

export const wrong = (option: string, given: string, wanted: string): never =>
  refuse(`${option} is ${JSON.stringify(given)}: wanted is ${wanted}.`)

export const wholeNumber = (option: string, given: string, highest: number): number =>
  /^[1-9]\d{0,8}$/.test(given) && Number(given) <= highest
    ? Number(given)
    : wrong(option, given, `a whole number from 1 to ${highest}`)

/** The answer, or a refusal in the error's own words. */
export const orRefuse = async <A>(
  task: TaskEither<{ readonly _tag: string; readonly message?: string }, A>,
): Promise<A> => {
  const answer = await task()
  return E.isLeft(answer) ? refuse(answer.left.message ?? answer.left._tag) : answer.right
}

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** What is worth knowing beside the answer; not for a pipe. */
export const hint = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** How far a long command is: one line that changes on a terminal, one line each time elsewhere. Not for a pipe. */
export const tellProgress = (text: string): void => {
  process.stderr.write(process.stderr.isTTY ? `\r${text}` : `${text}\n`)
}

/** What is said next stands on a line of its own. */
export const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\n')
}
