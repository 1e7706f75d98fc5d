// Records which master keys a SQLite database is encrypted under, and checks that the given keys are the same.
import { randomBytes } from 'node:crypto'
import {
  checkProofs,
  type KeyProof,
  keyIsMissing,
  type LookUp,
  lookUpWith,
  missingOf,
  PLACE_OF_LOOKUP_KEY,
  proofOfKey,
} from '../sealing/key-proofs.ts'
import type { Sealer } from '../sealing/sealer.ts'
import type { Database } from './database.ts'

/** The ids of the keys that something may be encrypted under. */
export const knownKeyIds = (db: Database): readonly string[] =>
  db.prepare<[], string>('select id from master_keys order by id').pluck().all()

const ordersUnder = (db: Database, id: string): number =>
  db.prepare<[string], number>('select count(*) from data_keys where key_id = ?').pluck().get(id) ?? 0

/** Throws an error that names the missing or wrong key. Records the first key, which encrypts from now on. */
export const adoptKeys = (db: Database, sealer: Sealer, hint = ''): void => {
  const proofs = db.prepare<[], KeyProof>('select id, proof from master_keys').all()
  const [missing] = missingOf(sealer, proofs)
  if (missing !== undefined) throw new Error(`${keyIsMissing(missing, ordersUnder(db, missing))}${hint}`)
  checkProofs(sealer, proofs)
  const [first] = sealer.keyIds
  if (!proofs.some(({ id }) => id === first))
    db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)').run(first, proofOfKey(sealer))
}

/** The keyed hash of this database. It is the same in every process that opens the database. */
export const lookUpIn = (db: Database, sealer: Sealer): LookUp => {
  const find = db.prepare<[], string>('select secret from lookup_key').pluck()
  if (find.get() === undefined)
    db.prepare('insert or ignore into lookup_key (only, secret) values (1, ?)').run(
      sealer.sealSecret(PLACE_OF_LOOKUP_KEY, randomBytes(32).toString('base64')),
    )
  return lookUpWith(sealer, find.get() ?? '')
}
