// What an attempt of a delivery came to, in words. The console and the commands use one function, so
// that an operator reads the same of an attempt everywhere.
import type { AttemptView, DeliveryView, NoAnswerReason } from '@plazo/core/internal'

const FAILURES: {
  readonly [error in NoAnswerReason | 'unaccepted_status' | 'unreadable_answer']: string
} = {
  timeout: 'no answer in time',
  dns: 'the host name has no address',
  connection_refused: 'the connection was refused',
  connection_reset: 'the connection broke off',
  tls: 'no secure connection',
  protocol_error: 'the answer is not HTTP',
  response_too_large: 'the answer is too large',
  blocked_address: 'the address must not be called',
  merchant_unknown: 'the merchant is unknown, nothing was sent',
  secrets_unavailable: 'the secrets could not be read, nothing was sent',
  no_socket: 'no socket was free, nothing was sent',
  unaccepted_status: 'the shop did not accept it',
  unreadable_answer: 'the answer could not be understood',
}

/** Why an attempt failed: `the connection was refused`. */
export const failureWords = (error: string): string =>
  Object.hasOwn(FAILURES, error) ? FAILURES[error as keyof typeof FAILURES] : error

/** An accepted answer. Interface §4.4, §6.1. */
const acceptance = (event: DeliveryView['event'], status: number | null): string => {
  if (event === 'ipn')
    return status === 409 || status === 410 ? 'the shop refuses the order' : 'the shop accepts it'
  if (event === 'cancel') return status === 501 ? 'the shop cannot cancel' : 'the shop answered'
  return status === 404 || status === 501
    ? 'the shop does not need this event'
    : 'the shop has the event'
}

/** `accepted, 409: the shop refuses the order`. */
export const attemptWords = (
  event: DeliveryView['event'],
  { outcome, status, error, error_reason }: AttemptView,
): string => {
  if (outcome === 'lost') return 'lost: the server stopped before the answer came'
  const isAccepted = outcome === 'accepted'
  const result = isAccepted ? 'accepted' : 'failed'
  const head = status === null ? result : `${result}, ${status}`
  const meaning = isAccepted ? acceptance(event, status) : failureWords(error ?? '')
  const reason = error_reason === null ? '' : ` (${error_reason.replace(/\.$/, '')})`
  return `${head}: ${meaning}${reason}`
}

/** The last attempt of a delivery, in one line. */
export const lastAttempt = ({ event, attempts }: DeliveryView): string => {
  const last = attempts.at(-1)
  return last === undefined
    ? 'not tried yet'
    : `attempt ${last.n} ${last.trigger} ${last.started_at} ${attemptWords(event, last)}`
}
