// Production does not start while a merchant has credentials that everybody knows: those of the
// merchant that a sandbox starts with, whose database may have been taken to production. Contract §7.
import { verifyPassword } from '@plazo/adapters/internal/encryption'
import type { Merchants, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** A sandbox's merchant. */
export const KNOWN_MERCHANT = {
  username: 'demo',
  password: 'demo',
  secret: '0123456789abcdef0123456789abcdef',
} as const

/** True for the demo merchant's password, as people may type it. */
export const isKnownPassword = (password: string): boolean =>
  password.trim().toLowerCase() === KNOWN_MERCHANT.password

export const isKnownSecret = (secret: string): boolean =>
  secret.toLowerCase() === KNOWN_MERCHANT.secret

/**
 * Finds the credentials of the demo merchant that are still in use: its password, and its secret at
 * any merchant. A former secret counts while it signs. Each is a reason why production does not start,
 * and what to do.
 *
 * @param at domain time
 */
export const findKnownCredentials =
  (merchants: Merchants, at: number): TaskEither<Unavailable, readonly string[]> =>
  async () => {
    const all = await merchants.list()()
    if (E.isLeft(all)) return all
    const found: string[] = []
    for (const { ref, username, passwordHash } of all.right) {
      const secrets = await merchants.liveSecrets(ref, at)()
      if (E.isLeft(secrets)) return secrets
      const { password } = KNOWN_MERCHANT
      if (username === KNOWN_MERCHANT.username && (await verifyPassword(password, passwordHash)))
        found.push(
          `merchant ${ref} has the sandbox’s well-known password, so anybody can call as ${ref}. Give MODE=production its own database, or run \`plazo merchant set --merchant ${ref} --password\`.`,
        )
      if (secrets.right.some(isKnownSecret))
        found.push(
          `merchant ${ref} has the sandbox’s well-known signing secret, so anybody can forge its webhooks. Run \`plazo merchant rotate-secret --merchant ${ref}\` with MODE=production, and give the shop the new secret.`,
        )
    }
    return E.right(found)
  }
