// The key that a sandbox creates for itself, in a file next to its database. Contract §7, SECRET_KEY.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { errorMessage } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Keyring, newKeyEntry, newKeyring, parseKeyring } from '../../encryption/keyring.ts'
import { errorCodeOf } from '../../system/error-code.ts'

/** Only its owner can read it. */
const MODE = 0o600

export const keyFilePath = (path: string): string => `${path}.key`

// The file is complete before it gets its name. If two processes start together, one creates it and both read the same key.
const createKeyFile = (file: string): void => {
  const draft = `${file}.${process.pid}`
  const descriptor = openSync(draft, 'w', MODE)
  try {
    writeSync(descriptor, `${newKeyEntry()}\n`)
    fsyncSync(descriptor)
    linkSync(draft, file)
  } catch (cause) {
    if (errorCodeOf(cause) !== 'EEXIST') throw cause
  } finally {
    closeSync(descriptor)
    unlinkSync(draft)
  }
}

const readKeyFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new Error(
      `The database’s key file ${file} cannot be read: ${errorMessage(cause)}. Make it readable, or restore it from a copy.`,
    )
  }
}

/** `usedKeyIds`: the keys that the database is already encrypted under. If there are any, no new key replaces them. */
export const loadOrCreateKeyring = (path: string, usedKeyIds: readonly string[]): Keyring => {
  if (path === ':memory:') return newKeyring()
  const file = keyFilePath(path)
  if (!existsSync(file)) {
    if (usedKeyIds.length > 0)
      throw new Error(
        `SECRET_KEY is not set, and ${file} is missing. The database is encrypted under the key ${usedKeyIds.map((id) => JSON.stringify(id)).join(' and the key ')}. For a backup, copy the key file of the original database.`,
      )
    createKeyFile(file)
  }
  const keyring = parseKeyring(readKeyFile(file))
  if (E.isLeft(keyring)) throw new Error(`${file} contains no valid key: ${keyring.left}.`)
  return keyring.right
}
