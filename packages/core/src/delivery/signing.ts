// What is signed in a request to a merchant; the HMAC itself is the sender's. Interface §5, contract §6.

/** Standard Webhooks signs id, timestamp (whole seconds) and body together. */
export const standardWebhooksText = (id: string, timestamp: number, body: string): string =>
  `${id}.${timestamp}.${body}`
