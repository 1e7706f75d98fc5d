// Production does not start while a merchant has credentials that everybody knows: those of the
// merchant that a sandbox starts with, whose database may have been taken to production. It says
// what to do, as `plazo doctor` does. Contract §7.
import { verifyPassword } from '@plazo/adapters/encryption'
import type { MerchantNotFound, Merchants, SecretUnchanged, Unavailable } from '@plazo/core/ports'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** A sandbox's merchant. */
export const KNOWN_MERCHANT = {
  username: 'demo',
  password: 'demo',
  secret: '0123456789abcdef0123456789abcdef',
} as const

export const KNOWN_VALUE_REFUSAL =
  'is the sandbox’s, which everybody knows. MODE=production requires another one.'

/** After a rotation: the former secret was a known one. */
export const KNOWN_SECRET_ENDED =
  'The former secret was the sandbox’s, so it does not sign any more.'

/** True for the demo merchant's password, as people may type it. */
export const isWellKnownPassword = (password: string): boolean =>
  password.trim().toLowerCase() === KNOWN_MERCHANT.password

export const isWellKnownSecret = (secret: string): boolean =>
  secret.toLowerCase() === KNOWN_MERCHANT.secret

/** Why production does not start, and what to do. */
type WellKnownCredential = { readonly says: string; readonly todo: string }

const WELL_KNOWN_PASSWORD: WellKnownCredential = {
  says: 'DATABASE_URL is a sandbox’s database: its merchant demo has a well-known password, so anybody can call as demo',
  todo:
    'Give MODE=production its own database. To keep this one, first change the password: ' +
    '`plazo merchant set --merchant demo --password` asks for a new one.',
}

const wellKnownSecretOf = (ref: string): WellKnownCredential => ({
  says: `merchant ${ref} has the sandbox’s well-known signing secret, so anybody can forge its webhooks`,
  todo: `Run \`plazo merchant rotate-secret --merchant ${ref}\` with MODE=production, and give the shop the new secret.`,
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
      const demo = all.find(({ username }) => username === KNOWN_MERCHANT.username)
      return TE.fromTask(
        async () =>
          demo !== undefined && (await verifyPassword(KNOWN_MERCHANT.password, demo.passwordHash)),
      )
    }),
    TE.map(({ demo, signing }) => [
      ...(demo ? [WELL_KNOWN_PASSWORD] : []),
      ...signing.map(({ ref }) => wellKnownSecretOf(ref)),
    ]),
  )

/**
 * Gives a merchant a new secret, and returns until when the former one also signs. `refusesKnown`: a
 * well-known one no longer signs at all. `at`: domain time.
 */
export const rotateSecret =
  (merchants: Merchants, refusesKnown: boolean) =>
  (
    ref: string,
    secret: string,
    at: number,
  ): TE.TaskEither<MerchantNotFound | SecretUnchanged | Unavailable, number> =>
    pipe(
      merchants.liveSecrets(ref, at),
      TE.chainW(([current, ...former]) => {
        const wellKnown = refusesKnown
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
