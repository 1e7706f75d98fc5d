// The key that a sandbox makes itself, beside its database file. Contract §7, SECRET_KEY.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { messageOf } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Keyring, newKeyEntry, newKeyring, parseKeyring } from '../sealing/keyring.ts'

/** Readable by its owner alone. */
const MODE = 0o600

export const keyFileOf = (path: string): string => `${path}.key`

// Written whole before it has its name: of two processes that start together one makes it, and both read the same.
const make = (file: string): void => {
  const draft = `${file}.${process.pid}`
  const descriptor = openSync(draft, 'w', MODE)
  try {
    writeSync(descriptor, `${newKeyEntry()}\n`)
    fsyncSync(descriptor)
    linkSync(draft, file)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
  } finally {
    closeSync(descriptor)
    unlinkSync(draft)
  }
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new Error(
      `The database’s key file ${file} cannot be read: ${messageOf(cause)}. Mend it, or put a copy of it there.`,
    )
  }
}

/** `sealedUnder`: the keys that the database is sealed under already; then none is made in place of theirs. */
export const keyringBeside = (path: string, sealedUnder: readonly string[]): Keyring => {
  if (path === ':memory:') return newKeyring()
  const file = keyFileOf(path)
  if (!existsSync(file)) {
    if (sealedUnder.length > 0)
      throw new Error(
        `SECRET_KEY is not set, and ${file} is missing: the database is sealed under the key ${sealedUnder.map((id) => JSON.stringify(id)).join(' and the key ')}. Of a backup, copy the key file of the database that it was made of.`,
      )
    make(file)
  }
  const keyring = parseKeyring(textOf(file))
  if (E.isLeft(keyring)) throw new Error(`${file} holds no key as SECRET_KEY would: ${keyring.left}.`)
  return keyring.right
}
