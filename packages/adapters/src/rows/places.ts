// Where in an order each sealed thing stands: it opens there alone.
export const PLACED = 'placed'
export const PAYLOAD = 'payload'
export const placeOfSnapshot = (revision: number): string => `snapshot ${revision}`
export const placeOfInput = (seq: number): string => `input ${seq}`
export const placeOfWork = (revision: number, lane: string): string => `work ${revision}:${lane}`
/** Why a row of the outbox is stuck. */
export const placeOfMessage = (id: number): string => `message ${id}`
export const placeOfResponse = (deliveryId: number, n: number): string => `response ${deliveryId}.${n}`
export const placeOfSms = (key: string): string => `message ${key}`
export const placeOfCard = (name: Buffer): string => `card ${name.toString('hex')}`
/** A secret that is replaced goes on under the same name: retiring it seals nothing anew. */
export const placeOfSecret = (merchantRef: string): string => `signature secret of ${merchantRef}`
