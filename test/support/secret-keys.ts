// Secret keys for a test: new ones under its own names, and the keyring that a setting's text spells.
import { type Keyring, newKeyEntry, parseKeyring } from '@plazo/adapters/sealing'
import { isLeft } from 'fp-ts/lib/Either.js'

/** A new key under this name, as `SECRET_KEY` spells it. */
export const aKeyNamed = (id: string): string => `${id}:${newKeyEntry().split(':')[1]}`

/** The keyring that this text spells. @throws for a text that spells none. */
export const keyringOf = (secretKey: string): Keyring => {
  const parsed = parseKeyring(secretKey)
  if (isLeft(parsed)) throw new Error(parsed.left)
  return parsed.right
}
