// Checks what several servers did together: the signatures of their requests, and their logs. These are in addition to the
// checks on a single server.
import { verifyStandardWebhook } from '@plazo/adapters/http'
import { SECRET, webhookId } from '../../harness/merchants.ts'
import type { Received } from '../../harness/receiver.ts'

const SIGNS_AT = 'webhook-timestamp'

const isSigned = (request: Received): boolean =>
  verifyStandardWebhook(
    [SECRET],
    { id: webhookId(request), timestamp: Number(request.headers[SIGNS_AT]), body: request.body },
    String(request.headers['webhook-signature']),
  )

export const signatureFaults = (received: readonly Received[]): readonly string[] =>
  received.flatMap((request) => (isSigned(request) ? [] : [`${webhookId(request)} came with a wrong signature.`]))

// An unreachable database, and giving up on a merchant, are expected.
const EXPECTED = ['"alert":"exhausted"', 'the database does not answer']

export const errorsIn = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .filter((line) => /"level":(50|60)|^\S*Error/.test(line) && !EXPECTED.some((text) => line.includes(text)))
