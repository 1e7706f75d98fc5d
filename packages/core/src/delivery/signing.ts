// What is signed in a request to a merchant; the HMAC itself is the sender's. Interface §5, contract §6.

/** Standard Webhooks signs id, timestamp (whole seconds) and body together. */
export const standardWebhooksText = (id: string, timestamp: number, body: string): string =>
  `${id}.${timestamp}.${body}`

/** So long a secret that was replaced goes on signing beside the new one, in milliseconds. Contract §6. */
export const SECRET_OVERLAP = 24 * 3_600_000
