// What the handlers of the console's pages share. They are plain async functions that know the host
// and nothing of the API's routes.
import type { Context } from 'hono'
import { value } from '../http/answers.ts'
import { rootFrom } from '../http/page/page.ts'
import { uuidParam } from '../http/request.ts'
import type { AppParts } from '../http/services.ts'
import type { ShowConsole } from './frame.ts'

/** The parts of all pages. */
export type ConsoleParts = Pick<
  AppParts,
  'host' | 'merchants' | 'erasure' | 'config' | 'additions' | 'providerWatch' | 'log'
> & { readonly show: ShowConsole }

/** The uuid of the path in lower case. */
export const orderRefOf = (c: Context): Promise<string> => value(async () => uuidParam(c))

/** A redirect to a page of the console after a form; `path` from the console's. */
export const see = (c: Context, path: string): Response =>
  c.redirect(`${rootFrom(c)}console${path}`, 303)
