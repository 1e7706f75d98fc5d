// Passwords are stored as scrypt hashes. Contract §2.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { normalizeText } from '@plazo/core/internal'
import { deriveKey, KEY_BYTES } from './derive-key.ts'

const SALT_BYTES = 16

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  deriveKey(normalizeText(password), salt)

const format = (salt: Buffer, key: Buffer): string =>
  `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`

/**
 * Hashes a password for storage, slowly on purpose. Resolves to `scrypt$<salt>$<key>`, both
 * base64url.
 */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES)
  return format(salt, await derive(password, salt))
}

/** A hash that matches no password. Verifying against it takes as long as against any other. */
export const unmatchableHash = (): string => format(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES))

/** Tells whether this is the password of the hash. Also false if the hash has another format. */
export const verifyPassword = async (password: string, hash: string): Promise<boolean> => {
  const [kind, salt = '', key = ''] = hash.split('$')
  const expected = Buffer.from(key, 'base64url')
  if (kind !== 'scrypt' || expected.length !== KEY_BYTES) return false
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url')), expected)
}
