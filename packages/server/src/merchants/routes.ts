// The console's routes for merchants: list them, add one, and give one a new secret. Contract §7.
import { orNull } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { wantsPage } from '../http/answers.ts'
import { formBody } from '../http/body.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { answer, bodyOf, form, HTML, json, jsonAnswer, type Route, route } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { rotateSecret } from './known-credentials.ts'
import {
  addMerchant,
  createSecret,
  type MerchantSettings,
  merchantView,
} from './merchant-settings.ts'
import { MERCHANT_FIELDS, merchantPage, merchantsPage } from './page.ts'

const MerchantView = t.strict({
  ref: t.string,
  name: t.string,
  username: t.string,
  signature_secret: t.string,
  country: orNull(t.string),
  currency: t.string,
  products: t.readonlyArray(t.string),
  optional_fields: t.readonlyArray(t.string),
  options: t.strict({ send_action_events_in_identification: t.boolean }),
})

const RotatedSecret = t.strict({
  ref: t.string,
  signature_secret: t.string,
  former_signs_until: t.string,
})

const CHECKBOX = 'send_action_events'

const textsOf = (isOptional: boolean): { readonly [name: string]: t.StringC } =>
  Object.fromEntries(
    MERCHANT_FIELDS.flatMap(([name, , optional]) =>
      (optional !== undefined) === isOptional ? [[name, t.string]] : [],
    ),
  )

/** As the page's form sends it. */
const NewMerchantForm = t.intersection([
  t.type(textsOf(false)),
  t.partial({ ...textsOf(true), [CHECKBOX]: t.string }),
])

const LAMPS = {
  ...{ ref: 'lamps', name: 'Lamps & Co', username: 'lamps', password: 'their password' },
  ...{ currency: 'EUR', products: 'pp3,i1' },
}

type Fields = Readonly<Record<string, string>>

const FIELDS = [...MERCHANT_FIELDS.map(([name]) => name), CHECKBOX]

/** A field that is empty is not given. */
const settingsOf = ({ [CHECKBOX]: checkbox, ...fields }: Fields): MerchantSettings => ({
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')),
  sendActionEvents: checkbox === 'on',
})

const PATH = '/console/merchants'
const UNKNOWN = requestError(404, 'Merchant not found.')
const problems = { 404: UNKNOWN.detail }
const seeMerchant = answer('For a browser.', undefined, { Location: 'The merchant’s page.' })

export const consoleMerchantRoutes = ({
  config,
  host,
  merchants,
  byOperator: access,
  showConsole,
}: Services): readonly Route[] => {
  const add = addMerchant({ merchants, terms: config })
  const rotate = rotateSecret(merchants, config.policy.refusesKnownCredentials)

  const listPage = (c: Context, fields: Fields = {}, refusal: readonly string[] = []) =>
    pipe(
      merchants.list(),
      TE.chainTaskK((all) => () => {
        const page = merchantsPage(all, 'merchants', fields, refusal)
        return showConsole(
          c,
          { title: 'Merchants', area: 'merchants', body: page },
          refusal.length === 0 ? 200 : 409,
        )
      }),
    )

  return [
    route(`GET ${PATH}`, 'listKeptMerchants', 'List merchants', {
      access,
      errors: 'page',
      ok: answer('All merchants.', { ...json(t.readonlyArray(MerchantView)), ...HTML }),
      handle: (_access, _body, c) =>
        wantsPage(c)
          ? listPage(c)
          : pipe(
              merchants.list(),
              TE.map((all) => all.map(merchantView)),
            ),
    }),
    route(`POST ${PATH}`, 'addMerchant', 'Add a merchant', {
      access,
      errors: 'page',
      description:
        'The secret is generated if absent. Merchants with the same username are one account with one password.',
      body: bodyOf(form(NewMerchantForm, { merchant: LAMPS }), (c) => formBody(c, FIELDS)),
      status: 201,
      ok: jsonAnswer('The merchant.', MerchantView),
      answers: { 303: seeMerchant },
      problems: {
        409: 'A setting is invalid, or belongs to another merchant. A browser gets the page with this message.',
      },
      handle: (_, fields, c) =>
        pipe(
          add(settingsOf(fields)),
          TE.map((merchant) =>
            wantsPage(c) ? c.redirect(`merchants/${merchant.ref}`, 303) : merchantView(merchant),
          ),
          TE.orElseW((error) =>
            error._tag === 'Refused' && wantsPage(c)
              ? listPage(c, fields, error.sentences)
              : TE.left(error),
          ),
        ),
    }),
    route(`GET ${PATH}/:merchant`, 'showKeptMerchant', 'Get a merchant', {
      access,
      errors: 'page',
      ok: answer('The merchant, with their secret.', { ...json(MerchantView), ...HTML }),
      problems,
      handle: (_access, _body, c) =>
        pipe(
          merchants.find(c.req.param('merchant')),
          TE.chainW(TE.fromNullable(UNKNOWN)),
          TE.chainTaskK(
            (merchant) => async () =>
              wantsPage(c)
                ? showConsole(c, {
                    title: `Merchant ${merchant.ref}`,
                    area: 'merchants',
                    body: merchantPage(merchant, merchant.ref),
                  })
                : merchantView(merchant),
          ),
        ),
    }),
    route(`POST ${PATH}/:merchant/rotate-secret`, 'rotateSecret', 'Rotate a merchant’s secret', {
      access,
      errors: 'page',
      description:
        'The new secret signs at once. For 24 h the former secret also signs, in Webhook-Signature.',
      ok: jsonAnswer('The new secret.', RotatedSecret),
      answers: { 303: seeMerchant },
      problems,
      handle: (_access, _body, c) => {
        const ref = c.req.param('merchant')
        const secret = createSecret()
        return pipe(
          rotate(ref, secret, host.clock.now()),
          // A random secret is never the current one.
          TE.mapLeft((error): KnownError => (error._tag === 'Unavailable' ? error : UNKNOWN)),
          TE.map((until) =>
            wantsPage(c)
              ? c.redirect(`../${ref}`, 303)
              : {
                  ref,
                  signature_secret: secret,
                  former_signs_until: new Date(until).toISOString(),
                },
          ),
        )
      },
    }),
  ]
}
