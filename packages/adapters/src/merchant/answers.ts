// The answers that a merchant's handlers may give, and the HTTP responses for them. Interface §6.1, contract §5 and §6.
import { type CancelAnswer, decodeCancelAnswer, RETRY_IN_MINUTES_MAX } from '@plazo/core'
import type { ReceiverResponse } from './idempotency.ts'

/** The order is cancelled at the shop. */
export const cancelled = (): CancelAnswer => ({ result: 'cancelled' })

/** `lateByMinutes`: by how many whole minutes the request came too late, 0 or more. Throws a `RangeError` otherwise. */
export const tooLate = (lateByMinutes: number): CancelAnswer => {
  if (!Number.isSafeInteger(lateByMinutes) || lateByMinutes < 0)
    throw new RangeError(`tooLate requires whole minutes, 0 or more (got ${lateByMinutes}).`)
  return { result: 'toolate', lateByMinutes }
}

/** `minutes`: whole minutes, 1 to 1440, until the shop should be asked again. Throws a `RangeError` otherwise. */
export const retryIn = (minutes: number): CancelAnswer => {
  if (!Number.isSafeInteger(minutes) || minutes < 1 || minutes > RETRY_IN_MINUTES_MAX)
    throw new RangeError(`retryIn requires 1 to ${RETRY_IN_MINUTES_MAX} whole minutes (got ${minutes}).`)
  return { result: 'retry', retryInMinutes: minutes }
}

export type IpnAnswer = { readonly ipn: 'taken' | 'refused' }

/** The shop accepts the order (or accepts it on hold). */
export const taken = (): IpnAnswer => ({ ipn: 'taken' })

/** The shop cannot accept the order. The checkout ends as a conflict, and the shop is never asked again. */
export const refused = (): IpnAnswer => ({ ipn: 'refused' })

export const OK_RESPONSE: ReceiverResponse = { status: 200, body: '' }

export const errorResponse = (status: number, error: string): ReceiverResponse => ({
  status,
  body: JSON.stringify({ error }),
})

const cancelBody = (answer: CancelAnswer): object => {
  switch (answer?.result) {
    case 'cancelled':
      return { result: 'cancelled' }
    case 'toolate':
      return { result: 'toolate', late_by: answer.lateByMinutes }
    case 'retry':
      return { result: 'retry', retry_in: answer.retryInMinutes }
  }
}

/** Throws a `TypeError` if the service would not accept the answer, because a handler may be written without types. */
export const cancelResponse = (given: CancelAnswer): ReceiverResponse => {
  const body = JSON.stringify(cancelBody(given)) ?? ''
  const understood = decodeCancelAnswer(body)
  if (understood === null || (understood.result === 'toolate' && understood.lateByMinutes === null))
    throw new TypeError('The cancel handler must answer cancelled(), tooLate(minutes) or retryIn(minutes).')
  return { status: 200, body }
}

/** Throws a `TypeError` on anything else, so that a handler that forgets to answer confirms no order. */
export const ipnResponse = (given: IpnAnswer): ReceiverResponse => {
  switch (given?.ipn) {
    case 'taken':
      return OK_RESPONSE
    case 'refused':
      return { status: 409, body: '' }
    default:
      throw new TypeError('The IPN handler must answer taken() or refused().')
  }
}

export const toResponse = ({ status, body }: ReceiverResponse): Response =>
  new Response(body === '' ? null : body, {
    status,
    headers: {
      ...(body !== '' && { 'content-type': 'application/json' }),
      ...(status === 405 && { allow: 'POST' }),
      // The rest of the body is still unread in the connection, so no other request can use it.
      ...(status === 413 && { connection: 'close' }),
    },
  })
