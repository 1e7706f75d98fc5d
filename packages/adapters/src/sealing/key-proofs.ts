// What a database knows its master keys by: something sealed under each of them.
import { createHmac } from 'node:crypto'
import type { Sealer } from './sealer.ts'

export type KeyProof = { readonly id: string; readonly proof: string }

/** A keyed hash: what it finds again cannot be guessed from the rows. */
export type LookUp = (name: string) => Buffer

const placeOfProof = (id: string): string => `proof of ${id}`

export const PLACE_OF_LOOKUP_KEY = 'lookup key'

/** Something sealed under the first key, to know it by. */
export const proofOfKey = (sealer: Sealer): string => sealer.sealSecret(placeOfProof(sealer.keyIds[0]), '')

/** Those whose key was not given. */
export const missingOf = (sealer: Sealer, proofs: readonly KeyProof[]): readonly string[] =>
  proofs.flatMap(({ id }) => (sealer.keyIds.includes(id) ? [] : [id]))

/** `orders`: how many are sealed under it. */
export const keyIsMissing = (id: string, orders: number): string => {
  const sealed = orders === 0 ? 'secrets are' : orders === 1 ? '1 order is' : `${orders} orders are`
  return `SECRET_KEY has no key ${JSON.stringify(id)}, and ${sealed} sealed under it: give it too, behind the first one.`
}

/** Throws a line that names a key that is another than it was. */
export const checkProofs = (sealer: Sealer, proofs: readonly KeyProof[]): void => {
  for (const { id, proof } of proofs)
    try {
      sealer.openSecret(placeOfProof(id), proof)
    } catch {
      throw new Error(
        `SECRET_KEY has a key ${JSON.stringify(id)}, but not the one that the database was sealed under by that name.`,
      )
    }
}

/** `sealed`: the database's own key, the same in every process that opens it. */
export const lookUpWith = (sealer: Sealer, sealed: string): LookUp => {
  const key = Buffer.from(sealer.openSecret(PLACE_OF_LOOKUP_KEY, sealed), 'base64')
  return (name) => createHmac('sha256', key).update(name).digest()
}
