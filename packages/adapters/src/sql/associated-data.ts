// The associated data of each encrypted value: its place in the order. A value that is copied to another place does not
// decrypt there.
export const AAD_PLACED = 'placed'
export const AAD_ORDER_PAYLOAD = 'payload'
export const aadForSnapshot = (revision: number): string => `snapshot ${revision}`
export const aadForInput = (seq: number): string => `input ${seq}`
export const aadForPayload = (revision: number, lane: string): string => `work ${revision}:${lane}`
/** The message that says why an outbox row is stuck. */
export const aadForStuckMessage = (id: number): string => `message ${id}`
export const aadForResponse = (deliveryId: number, n: number): string => `response ${deliveryId}.${n}`
export const aadForSms = (key: string): string => `message ${key}`
export const aadForRecord = (kind: string, at: number): string => `record ${kind} ${at}`
export const aadForCard = (name: Buffer): string => `card ${name.toString('hex')}`
/** A replaced secret keeps its place, so that retiring it needs no new encryption. */
export const aadForSecret = (merchantRef: string): string => `signature secret of ${merchantRef}`
