// Creates named secret keys for tests, and parses a `SECRET_KEY` setting into a keyring.
import { type Keyring, newKeyEntry, parseKeyring } from '@plazo/adapters/internal/encryption'
import { isLeft } from 'fp-ts/lib/Either.js'

/** Creates a key with this name, in the format of `SECRET_KEY`. */
export const aKeyNamed = (id: string): string => `${id}:${newKeyEntry().split(':')[1]}`

/** Parses a `SECRET_KEY` setting. @throws if the text is not a valid setting. */
export const keyringOf = (secretKey: string): Keyring => {
  const parsed = parseKeyring(secretKey)
  if (isLeft(parsed)) throw new Error(parsed.left)
  return parsed.right
}
