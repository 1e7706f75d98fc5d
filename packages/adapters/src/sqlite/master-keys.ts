// Which master keys a SQLite database is sealed under, and that those given open it.
import { createHmac, randomBytes } from 'node:crypto'
import type { Sealer } from '../sealing/sealer.ts'
import type { Database } from './database.ts'

/** A keyed hash: what it finds again cannot be guessed from the rows. */
export type LookUp = (name: string) => Buffer

const placeOfProof = (id: string): string => `proof of ${id}`

export const PLACE_OF_LOOKUP_KEY = 'lookup key'

/** The keys that something may be sealed under. */
export const knownKeyIds = (db: Database): readonly string[] =>
  db.prepare<[], string>('select id from master_keys order by id').pluck().all()

const sealedUnder = (db: Database, id: string): string => {
  const orders = db.prepare<[string], number>('select count(*) from data_keys where key_id = ?').pluck().get(id) ?? 0
  return orders === 0 ? 'secrets are' : orders === 1 ? '1 order is' : `${orders} orders are`
}

/** Something sealed under the first key, to know it by. */
export const proofOfKey = (sealer: Sealer): string => sealer.sealSecret(placeOfProof(sealer.keyIds[0]), '')

/** Throws a line that names the key that is missing or wrong; writes down the one that seals from now on. */
export const adoptKeys = (db: Database, sealer: Sealer, hint = ''): void => {
  const proofs = db.prepare<[], { id: string; proof: string }>('select id, proof from master_keys').all()
  for (const { id, proof } of proofs) {
    if (!sealer.keyIds.includes(id))
      throw new Error(
        `SECRET_KEY has no key ${JSON.stringify(id)}, and ${sealedUnder(db, id)} sealed under it: give it too, behind the first one.${hint}`,
      )
    try {
      sealer.openSecret(placeOfProof(id), proof)
    } catch {
      throw new Error(
        `SECRET_KEY has a key ${JSON.stringify(id)}, but not the one that the database was sealed under by that name.`,
      )
    }
  }
  const [first] = sealer.keyIds
  if (!proofs.some(({ id }) => id === first))
    db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)').run(first, proofOfKey(sealer))
}

/** The same in every process that opens the database. */
export const lookUpIn = (db: Database, sealer: Sealer): LookUp => {
  const find = db.prepare<[], string>('select secret from lookup_key').pluck()
  if (find.get() === undefined)
    db.prepare('insert or ignore into lookup_key (only, secret) values (1, ?)').run(
      sealer.sealSecret(PLACE_OF_LOOKUP_KEY, randomBytes(32).toString('base64')),
    )
  const key = Buffer.from(sealer.openSecret(PLACE_OF_LOOKUP_KEY, find.get() ?? ''), 'base64')
  return (name) => createHmac('sha256', key).update(name).digest()
}
