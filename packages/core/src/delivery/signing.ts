// @plazo/core/signing: merchants verify each request by a signature over this text. The sender computes
// the HMAC. Interface §5, contract §6. The thread that sends imports this file alone, so that it does
// not load the rest of core.
//
// ```ts
// import { createHmac } from 'node:crypto'
// import { standardWebhooksText } from '@plazo/core/signing'
//
// const secret = '0123456789abcdef0123456789abcdef' // as it is, not the bytes that it encodes
// const text = standardWebhooksText('msg_1', 1_700_000_000, 'event=denied')
// console.log(`v1,${createHmac('sha256', secret).update(text).digest('base64')}`)
// ```

/** The text that Standard Webhooks signs: id, timestamp (whole seconds) and body. */
export const standardWebhooksText = (id: string, timestamp: number, body: string): string =>
  `${id}.${timestamp}.${body}`

/**
 * How long a replaced secret continues to sign next to the new one, in milliseconds. Contract §6.
 */
export const SECRET_OVERLAP = 24 * 3_600_000
