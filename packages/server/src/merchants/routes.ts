// The console's routes for merchants do what `plazo merchant` does, by its rules. A browser gets
// pages, and every other client JSON. Contract §7.
import type { Merchant, MerchantNotFound, Unavailable } from '@plazo/core/ports'
import { orNull } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import type { ConsoleServices } from '../console/frame.ts'
import { wantsPage } from '../http/answers.ts'
import { type FormFields, formBody, optionalFormBody } from '../http/body.ts'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { answer, bodyOf, form, HTML, json, jsonAnswer, type Route, route } from '../http/route.ts'
import {
  addMerchant,
  changeMerchant,
  type MerchantSettings,
  merchantView,
  possibleFields,
  replaceSecret,
  type SettingsRefused,
  sentencesOf,
} from './merchant-settings.ts'
import { type MerchantsShown, merchantPage, merchantsPage } from './page.ts'
import { ACTION_EVENTS, EMPTY_FORM, type FormState } from './settings-form.ts'

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

type Names = readonly string[]

const textsOf = (names: Names): { readonly [name: string]: t.StringC } =>
  Object.fromEntries(names.map((name) => [name, t.string]))

const REQUIRED = ['ref', 'name', 'username', 'password', 'currency', 'products']
const OPTIONAL = ['country', 'optional_fields', ACTION_EVENTS, 'secret']
const UNCHANGEABLE = ['ref', 'username', 'secret']

// As the forms of the pages send them.
const FIELDS = [...REQUIRED, ...OPTIONAL]
const CHANGEABLE = FIELDS.filter((name) => !UNCHANGEABLE.includes(name))
const LISTS = ['products', 'optional_fields']
const NewMerchantForm = t.intersection([t.type(textsOf(REQUIRED)), t.partial(textsOf(OPTIONAL))])
const ChangeForm = t.partial(textsOf(CHANGEABLE))
const RotationForm = t.partial({ secret: t.string })

const LAMPS = {
  ...{ ref: 'lamps', name: 'Lamps & Co', username: 'lamps', password: 'their password' },
  ...{ currency: 'EUR', products: 'pp3,i1' },
}

const settingsOf = ({ [ACTION_EVENTS]: checkbox, ...texts }: FormFields): MerchantSettings => ({
  ...texts,
  ...(checkbox !== undefined && { sendActionEvents: checkbox === 'on' }),
  ...(texts.country === '' && { country: null }),
})

const isGiven = (value: string): boolean => value !== ''

const PATH = '/console/merchants'
const UNKNOWN = requestError(404, 'Merchant not found.')
const problems = { 404: UNKNOWN.detail }
const MERCHANT = answer('The merchant, with their secret.', { ...json(MerchantView), ...HTML })
const seeMerchant = answer('For a browser.', undefined, { Location: 'The merchant’s page.' })

type Refusal = SettingsRefused | MerchantNotFound | Unavailable

export const consoleMerchantRoutes = ({
  config,
  host,
  merchants,
  byOperator: access,
  showConsole,
}: ConsoleServices): readonly Route[] => {
  const { clock, store } = host
  const parts = { merchants, terms: config }

  const readEndpoints = (merchantRef: string | null, merchantCount: number) =>
    store.endpoints.list({ merchantRef, isFailing: false, limit: 2 * merchantCount })

  const show = (
    c: Context,
    title: string,
    form: FormState,
    bodyOn: (page: Omit<MerchantsShown, 'endpoints'>) => Markup,
  ) => {
    const fields = possibleFields(config.names)
    const body = bodyOn({ form, fields, now: clock.now(), root: rootFrom(c) })
    return showConsole(c, { title, area: 'merchants', body }, form === EMPTY_FORM ? 200 : 409)
  }

  const showList = (c: Context, form = EMPTY_FORM): TE.TaskEither<KnownError, Response> =>
    pipe(
      merchants.list(),
      TE.bindTo('all'),
      TE.bind('endpoints', ({ all }) => readEndpoints(null, all.length)),
      TE.chainTaskK(
        ({ all, endpoints }) =>
          () =>
            show(c, 'Merchants', form, (page) => merchantsPage(all, { ...page, endpoints })),
      ),
    )

  const find = (c: Context): TE.TaskEither<KnownError, Merchant> =>
    pipe(merchants.find(c.req.param('merchant') ?? ''), TE.chainW(TE.fromNullable(UNKNOWN)))

  const showMerchant = (
    c: Context,
    form = EMPTY_FORM,
    showsSecret = false,
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      find(c),
      TE.bindTo('merchant'),
      TE.bindW('account', ({ merchant }) => merchants.ofAccount(merchant.username)),
      TE.bindW('endpoints', ({ merchant }) => readEndpoints(merchant.ref, 1)),
      TE.bindW('overlapEnd', ({ merchant }) =>
        merchants.secretOverlapEnd(merchant.ref, clock.now()),
      ),
      TE.chainTaskK((loaded) => () => {
        const done = c.req.query('done') ?? ''
        return show(c, `Merchant ${loaded.merchant.ref}`, form, (page) =>
          merchantPage({ ...page, ...loaded, showsSecret, done }),
        )
      }),
    )

  const getMerchant = (c: Context, showsSecret: boolean) =>
    wantsPage(c) ? showMerchant(c, EMPTY_FORM, showsSecret) : pipe(find(c), TE.map(merchantView))

  /**
   * Answers a form. A browser sees the merchant and what was done, or what was typed with each error
   * at its field.
   */
  const answerForm =
    <A>(
      c: Context,
      values: FormFields,
      done: string,
      showForm: (c: Context, form: FormState) => TE.TaskEither<KnownError, Response>,
    ) =>
    (task: TE.TaskEither<Refusal, A & { readonly ref: string }>) =>
      pipe(
        task,
        TE.map((value) =>
          wantsPage(c)
            ? c.redirect(
                `${rootFrom(c)}console/merchants/${encodeURIComponent(value.ref)}?done=${done}`,
                303,
              )
            : value,
        ),
        TE.orElseW((error): TE.TaskEither<KnownError, Response> => {
          if (error._tag === 'MerchantNotFound') return TE.left(UNKNOWN)
          if (error._tag === 'Unavailable') return TE.left(error)
          const { errors } = error
          return wantsPage(c)
            ? showForm(c, { values, errors })
            : TE.left({ _tag: 'Refused', sentences: sentencesOf(errors) })
        }),
      )

  return [
    route(`GET ${PATH}`, 'listKeptMerchants', 'List merchants', {
      access,
      errors: 'page',
      description: 'A browser gets the health of their endpoints, and no secrets.',
      ok: answer('All merchants.', { ...json(t.readonlyArray(MerchantView)), ...HTML }),
      handle: (_access, _body, c) =>
        wantsPage(c)
          ? showList(c)
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
      body: bodyOf(form(NewMerchantForm, { merchant: LAMPS }), (c) => formBody(c, FIELDS, LISTS)),
      status: 201,
      ok: jsonAnswer('The merchant.', MerchantView),
      answers: { 303: seeMerchant },
      problems: {
        409: 'A setting is invalid, or belongs to another merchant. A browser gets the page with each error at its field.',
      },
      handle: (_, fields, c) =>
        pipe(
          addMerchant(parts)(settingsOf(R.filter(isGiven)(fields))),
          TE.map(merchantView),
          answerForm(c, fields, 'added', showList),
        ),
    }),
    route(`GET ${PATH}/:merchant`, 'showKeptMerchant', 'Get a merchant', {
      access,
      errors: 'page',
      description: 'A browser gets a page without the secret.',
      ok: MERCHANT,
      problems,
      handle: (_access, _body, c) => getMerchant(c, false),
    }),
    route(`POST ${PATH}/:merchant`, 'changeMerchant', 'Change a merchant', {
      access,
      errors: 'page',
      description:
        'Changes the given settings; earlier orders keep the former ones. An empty country is none. A password is that of the whole account.',
      body: bodyOf(form(ChangeForm, { name: { name: 'Demo' } }), (c) =>
        formBody(c, CHANGEABLE, LISTS),
      ),
      ok: jsonAnswer('The changed merchant.', MerchantView),
      answers: { 303: seeMerchant },
      problems: { ...problems, 409: 'A setting is invalid, as for a new merchant.' },
      handle: (_access, fields, c) =>
        pipe(
          changeMerchant(parts)(c.req.param('merchant'), settingsOf(fields)),
          TE.map(merchantView),
          answerForm(c, fields, 'changed', showMerchant),
        ),
    }),
    route(`POST ${PATH}/:merchant/show-secret`, 'showSecret', 'Show a merchant’s secret', {
      access,
      errors: 'page',
      description: 'A browser gets the merchant’s page with the secret.',
      ok: MERCHANT,
      problems,
      handle: (_access, _body, c) => getMerchant(c, true),
    }),
    route(`POST ${PATH}/:merchant/rotate-secret`, 'rotateSecret', 'Rotate a merchant’s secret', {
      access,
      errors: 'page',
      description:
        'The new secret signs at once. It is generated if absent. For 24 h the former secret also signs, in Webhook-Signature.',
      body: bodyOf(form(RotationForm, { 'a random secret': {} }), (c) =>
        optionalFormBody(c, ['secret']),
      ),
      ok: jsonAnswer('The new secret.', RotatedSecret),
      answers: { 303: seeMerchant },
      problems: { ...problems, 409: 'The secret is invalid, or already the current one.' },
      handle: (_access, fields, c) => {
        const ref = c.req.param('merchant')
        return pipe(
          replaceSecret(parts)(ref, R.filter(isGiven)(fields), clock.now()),
          TE.map(({ secret, formerSignsUntil }) => ({
            ref,
            signature_secret: secret,
            former_signs_until: new Date(formerSignsUntil).toISOString(),
          })),
          answerForm(c, fields, 'rotated', showMerchant),
        )
      },
    }),
  ]
}
