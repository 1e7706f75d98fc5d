// The associated data of each encrypted value: its place in the order. A value that is copied to another place does not
// decrypt there.
export const PLACED = 'placed'
export const PAYLOAD = 'payload'
export const placeOfSnapshot = (revision: number): string => `snapshot ${revision}`
export const placeOfInput = (seq: number): string => `input ${seq}`
export const placeOfWork = (revision: number, lane: string): string => `work ${revision}:${lane}`
/** The message that says why an outbox row is stuck. */
export const placeOfMessage = (id: number): string => `message ${id}`
export const placeOfResponse = (deliveryId: number, n: number): string => `response ${deliveryId}.${n}`
export const placeOfSms = (key: string): string => `message ${key}`
export const placeOfCard = (name: Buffer): string => `card ${name.toString('hex')}`
/** A replaced secret keeps its place, so that retiring it needs no new encryption. */
export const placeOfSecret = (merchantRef: string): string => `signature secret of ${merchantRef}`
