// What the handlers of the console's pages share. They are plain async functions that know the host
// and nothing of the API's routes.
import type { Merchant, Merchants } from '@plazo/core/ports'
import type { Context } from 'hono'
import { PageError, value } from '../http/answers.ts'
import { rootFrom } from '../http/page/page.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { uuidParam } from '../http/request.ts'
import type { AppParts } from '../http/services.ts'
import type { ShowConsole } from './frame.ts'

/** The parts of all pages. */
export type ConsoleParts = Pick<
  AppParts,
  'host' | 'merchants' | 'erasure' | 'config' | 'baseUrl' | 'providerWatch' | 'log'
> & { readonly show: ShowConsole }

/** The uuid of the path in lower case. */
export const orderRefOf = (c: Context): Promise<string> => value(async () => uuidParam(c))

/** For a value that a form or an address cannot have. */
export const refuse = (error: KnownError): never => {
  throw new PageError(error)
}

export const UNKNOWN_MERCHANT = requestError(404, 'Merchant not found.')

/** The merchant that the path names. */
export const merchantOf = async (c: Context, { find }: Merchants): Promise<Merchant> =>
  (await value(find(c.req.param('merchant') ?? ''))) ?? refuse(UNKNOWN_MERCHANT)

/** A redirect to a page of the console after a form; `path` from the console's. */
export const see = (c: Context, path: string): Response =>
  c.redirect(`${rootFrom(c)}console${path}`, 303)
