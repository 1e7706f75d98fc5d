// A sandbox starts with this merchant, whose password and signing secret everybody knows.
// Production does not start with them and, like `plazo doctor`, says what to do: a sandbox's
// database may have been taken there. Contract §7.
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import type { MerchantNotFound, Merchants, SecretUnchanged, Unavailable } from '@plazo/core/ports'
import { CATALOGUE } from '@plazo/core/protocol'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Mode } from '../boot/config.ts'

export const DEMO_MERCHANT = 'demo'
const DEMO_USERNAME = 'demo'
const DEMO_PASSWORD = 'demo'
export const DEMO_SECRET = '0123456789abcdef0123456789abcdef'

/**
 * The demo shop's cart, in cents. It is large enough that the fees of a plan are a usual annual
 * rate.
 */
export const DEMO_CART = [
  { name: 'City bike', total_with_tax: 84_900 },
  { name: 'Helmet', total_with_tax: 5_100 },
] as const

export const addDemoMerchant = async (merchants: Merchants): Promise<void> => {
  const existing = await merchants.find(DEMO_MERCHANT)()
  if (E.isRight(existing) && existing.right !== null) return
  await merchants.add({
    ref: DEMO_MERCHANT,
    name: 'Demo',
    username: DEMO_USERNAME,
    passwordHash: await hashPassword(DEMO_PASSWORD),
    signatureSecret: DEMO_SECRET,
    country: null,
    currency: 'EUR',
    products: CATALOGUE.map(({ code }) => code),
    optionalFields: [],
    sendActionEvents: false,
  })()
}

/** True for the demo merchant's password, as people may type it. */
export const isWellKnownPassword = (password: string): boolean =>
  password.trim().toLowerCase() === DEMO_PASSWORD

export const isWellKnownSecret = (secret: string): boolean => secret.toLowerCase() === DEMO_SECRET

/** Why production does not start, and what to do. */
type WellKnownCredential = { readonly says: string; readonly todo: string }

const WELL_KNOWN_PASSWORD: WellKnownCredential = {
  says: 'DATABASE_URL is a sandbox’s database: its merchant demo has a well-known password, so anybody can call as demo',
  todo:
    'Give MODE=production its own database. To keep this one, first change the password: ' +
    '`plazo merchant set --ref demo --password` asks for a new one.',
}

const wellKnownSecretOf = (ref: string): WellKnownCredential => ({
  says: `merchant ${ref} has the sandbox’s well-known signing secret, so anybody can forge its webhooks`,
  todo: `Run \`plazo merchant rotate-secret --ref ${ref}\` with MODE=production, and give the shop the new secret.`,
})

/**
 * Finds the credentials of the demo merchant that are still in use: its password, and its secret at
 * any merchant. A former secret counts while it signs. Another merchant may be named `demo`.
 *
 * @param at domain time
 */
export const findWellKnownCredentials = (
  merchants: Merchants,
  at: number,
): TE.TaskEither<Unavailable, readonly WellKnownCredential[]> =>
  pipe(
    merchants.list(),
    TE.bindTo('all'),
    TE.bind('signing', ({ all }) =>
      pipe(
        all,
        TE.traverseArray(({ ref }) =>
          TE.map(RA.some(isWellKnownSecret))(merchants.liveSecrets(ref, at)),
        ),
        TE.map((results) => all.filter((_, index) => results[index] === true)),
      ),
    ),
    TE.bind('demo', ({ all }) => {
      const demo = all.find(({ username }) => username === DEMO_USERNAME)
      return TE.fromTask(
        async () => demo !== undefined && (await verifyPassword(DEMO_PASSWORD, demo.passwordHash)),
      )
    }),
    TE.map(({ demo, signing }) => [
      ...(demo ? [WELL_KNOWN_PASSWORD] : []),
      ...signing.map(({ ref }) => wellKnownSecretOf(ref)),
    ]),
  )

/**
 * Gives a merchant a new secret, and returns until when the former one also signs. In production a
 * well-known one no longer signs at all. `at`: domain time.
 */
export const rotateSecret =
  (merchants: Merchants, mode: Mode) =>
  (
    ref: string,
    secret: string,
    at: number,
  ): TE.TaskEither<MerchantNotFound | SecretUnchanged | Unavailable, number> =>
    pipe(
      merchants.liveSecrets(ref, at),
      TE.chainW(([current, ...former]) => {
        const wellKnown =
          mode === 'production'
            ? [current, ...former].find((each = '') => isWellKnownSecret(each))
            : undefined
        if (wellKnown === undefined)
          return TE.map(() => at + SECRET_OVERLAP)(merchants.rotateSecret(ref, secret, at))
        // A secret that is replaced as of a day ago has ended. Only the current one can be
        // replaced.
        const end = merchants.rotateSecret(ref, secret, at - SECRET_OVERLAP)
        return wellKnown === current
          ? TE.map(() => at)(end)
          : pipe(
              merchants.rotateSecret(ref, wellKnown, at),
              TE.chain(() => end),
              TE.map(() => at + SECRET_OVERLAP),
            )
      }),
    )
