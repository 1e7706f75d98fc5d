// The handlers of the console are plain async functions. They await what may fail by `value`, and
// every failure becomes one page with its status.
import type { Context } from 'hono'
import { type AnswerError, type ToErrorPage, value } from '../http/answers.ts'
import { rootFrom } from '../http/page/page.ts'
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

export { PageError as ConsoleError, value } from '../http/answers.ts'

/** The uuid of the path in lower case. */
export const orderRefOf = (c: Context): Promise<string> => value(async () => uuidParam(c))

/** A redirect to a page of the console after a form; `path` from the console's. */
export const see = (c: Context, path: string): Response =>
  c.redirect(`${rootFrom(c)}console${path}`, 303)
