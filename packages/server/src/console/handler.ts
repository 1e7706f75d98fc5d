// The handlers of the console are plain async functions. They await what may fail by `value`, and
// every failure becomes one page with its status.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import type { AnswerError, ToErrorPage } from '../http/answers.ts'
import { rootFrom } from '../http/page/page.ts'
import type { KnownError } from '../http/problem.ts'
import { uuidParam } from '../http/request.ts'
import type { AppParts, Services } from '../http/services.ts'
import type { ShowConsole } from './frame.ts'

/** The parts of all pages. */
export type ConsoleParts = Pick<
  AppParts,
  'host' | 'merchants' | 'erasure' | 'config' | 'additions' | 'providerWatch' | 'log'
> & {
  readonly show: ShowConsole
}

/** The parts of the app around the pages. */
export type ConsoleAppParts = ConsoleParts &
  Pick<Services, 'operator'> & {
    readonly answerError: AnswerError
    /** For somebody who is not signed in, who learns nothing of the console. */
    readonly toErrorPage: ToErrorPage
    readonly usesHsts: boolean
  }

/** `operator`: the name of the operator who sent the request. */
export type ConsoleEnv = { readonly Variables: { operator: string } }

/** `back`: the path, from the console's, of a page where the operator can go on. */
export class ConsoleError extends Error {
  readonly error: KnownError
  readonly back: string
  constructor(error: KnownError, back: string) {
    super(error._tag)
    this.error = error
    this.back = back
  }
}

/** Rejects with what the page of the error needs. */
export const value = async <A>(task: TaskEither<KnownError, A>, back = ''): Promise<A> => {
  const outcome = await task()
  if (E.isLeft(outcome)) throw new ConsoleError(outcome.left, back)
  return outcome.right
}

/** The uuid of the path in lower case. */
export const orderRefOf = (c: Context): Promise<string> => value(async () => uuidParam(c))

/** A redirect to a page of the console after a form; `path` from the console's. */
export const see = (c: Context, path: string): Response =>
  c.redirect(`${rootFrom(c)}console${path}`, 303)
