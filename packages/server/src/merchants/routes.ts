// The console's routes for merchants: list them, add one, and give one a new secret. Contract §7.
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { wantsPage } from '../http/answers.ts'
import { formBody, limitBody } from '../http/body.ts'
import { consolePage } from '../http/page/page.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import type { Services } from '../http/services.ts'
import { rotateSecret } from '../sandbox/demo-merchant.ts'
import {
  addMerchant,
  createSecret,
  type MerchantSettings,
  merchantView,
  type NewMerchant,
} from './merchant-settings.ts'
import { MERCHANT_FIELDS, merchantPage, merchantsPage } from './page.ts'

type Fields = Readonly<Record<string, string>>

/** The name of the form's field. */
const nameOf = (setting: keyof MerchantSettings): string =>
  setting === 'optionalFields' ? 'optional_fields' : setting

const FIELDS = [...MERCHANT_FIELDS.map(([name]) => name), 'send_action_events']

const parseNewMerchant = (fields: Fields): NewMerchant => {
  const { ref = '', name = '', username = '', password = '', currency = '', products = '' } = fields
  return {
    ...{ ref, name, username, password, currency, products },
    ...(fields.secret && { secret: fields.secret }),
    ...(fields.country && { country: fields.country }),
    ...(fields.optional_fields && { optionalFields: fields.optional_fields }),
    sendActionEvents: fields.send_action_events === 'on',
  }
}

const PATH = '/console/merchants'
const UNKNOWN = requestError(404, 'Merchant not found.')

export const consoleMerchantRoutes = ({ config, host, merchants, respondPage }: Services) => {
  const add = addMerchant({ merchants, terms: config, nameOf })
  const rotate = rotateSecret(merchants, config.mode)

  const listPage = (c: Context, fields: Fields = {}, refusal: readonly string[] = []) =>
    pipe(
      merchants.list(),
      TE.chainTaskK((all) => () => {
        const page = merchantsPage(all, 'merchants', fields, refusal)
        return consolePage(c, 'Merchants', page, refusal.length === 0 ? 200 : 409)
      }),
    )

  const addFromForm = (c: Context, fields: Fields): TE.TaskEither<KnownError, Response> =>
    pipe(
      add(parseNewMerchant(fields)),
      TE.map((merchant) =>
        wantsPage(c)
          ? c.redirect(`merchants/${merchant.ref}`, 303)
          : c.json(merchantView(merchant), 201),
      ),
      TE.orElseW((error) =>
        error._tag === 'Refused' && wantsPage(c)
          ? listPage(c, fields, error.sentences)
          : TE.left(error),
      ),
    )

  const rotateAtRandom = (c: Context, ref: string): Promise<Response> => {
    const secret = createSecret()
    const at = host.clock.now()
    return pipe(
      rotate(ref, secret, at),
      // A random secret is never the current one.
      TE.mapLeft((error): KnownError => (error._tag === 'Unavailable' ? error : UNKNOWN)),
      respondPage(c, (until) =>
        wantsPage(c)
          ? c.redirect(`../${ref}`, 303)
          : c.json({
              ref,
              signature_secret: secret,
              former_signs_until: new Date(until).toISOString(),
            }),
      ),
    )
  }

  return new Hono()
    .get(PATH, (c) =>
      wantsPage(c)
        ? pipe(listPage(c), respondPage(c, identity))
        : pipe(merchants.list(), TE.map(RA.map(merchantView)), respondPage(c)),
    )
    .post(PATH, limitBody(), (c) =>
      pipe(
        formBody(c, FIELDS),
        TE.chainW((fields) => addFromForm(c, fields)),
        respondPage(c, identity),
      ),
    )
    .get(`${PATH}/:merchant`, (c) =>
      pipe(
        merchants.find(c.req.param('merchant')),
        TE.chainW(TE.fromNullable(UNKNOWN)),
        respondPage(c, (merchant) =>
          wantsPage(c)
            ? consolePage(c, `Merchant ${merchant.ref}`, merchantPage(merchant, merchant.ref))
            : c.json(merchantView(merchant)),
        ),
      ),
    )
    .post(`${PATH}/:merchant/rotate-secret`, limitBody(), (c) =>
      rotateAtRandom(c, c.req.param('merchant')),
    )
}
