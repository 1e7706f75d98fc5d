// Checks what several servers did together: the requests to merchants, the money, and the log. These are in addition to the
// checks on a single server.
import { verifyStandardWebhook } from '@plazo/adapters/http'
import type { Received } from '../../harness/receiver.ts'
import { SECRET, webhookId } from '../merchants.ts'
import type { DatabaseSnapshot } from '../sqlite-snapshot.ts'

const SIGNS_AT = 'webhook-timestamp'

const isSigned = (request: Received): boolean =>
  verifyStandardWebhook(
    [SECRET],
    { id: webhookId(request), timestamp: Number(request.headers[SIGNS_AT]), body: request.body },
    String(request.headers['webhook-signature']),
  )

/** Requests with the same id must have the same bytes, and all must be signed. */
export const requestFaults = (received: readonly Received[]): readonly string[] => {
  const bodies = Map.groupBy(received, webhookId)
  return [
    ...received.flatMap((request) => (isSigned(request) ? [] : [`${webhookId(request)} came with a wrong signature.`])),
    ...[...bodies].flatMap(([id, requests]) =>
      new Set(requests.map(({ body }) => body)).size === 1 ? [] : [`${id} came with different bodies.`],
    ),
  ]
}

/** What no order may have done, no matter which node ran it. */
export const moneyFaults = (left: DatabaseSnapshot): readonly string[] =>
  left.orders().flatMap(({ id, orderRef }) => {
    const lines = left.lines(id)
    const checkout = (state: string): string => state.split(' ')[0] ?? ''
    const confirmed = lines.filter(
      ({ from, to }) => checkout(from) !== 'confirmed' && checkout(to) === 'confirmed',
    ).length
    const accepted = lines.filter(({ event, from, to }) => event === 'ipn.accepted' && from !== to).length
    // An order that was on review has two IPNs: one for the review, and one for its result.
    const isReviewed = lines.some(({ to }) => checkout(to) === 'reviewing')
    const paid = lines.findIndex(({ event }) => event === 'payment.succeeded')
    const refunded = lines.findIndex(({ event }) => event === 'payment.refunded')
    return [
      ...(confirmed > 1 ? [`${orderRef} was confirmed ${confirmed} times.`] : []),
      ...(accepted > (isReviewed ? 2 : 1) ? [`${orderRef}: ${accepted} IPNs were accepted.`] : []),
      ...(refunded >= 0 && (paid < 0 || paid > refunded) ? [`${orderRef} was refunded without a payment.`] : []),
    ]
  })

// An unreachable database, and giving up on a merchant, are expected.
const EXPECTED = ['"alert":"exhausted"', 'the database does not answer']

export const errorsIn = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .filter((line) => /"level":(50|60)|^\S*Error/.test(line) && !EXPECTED.some((text) => line.includes(text)))
