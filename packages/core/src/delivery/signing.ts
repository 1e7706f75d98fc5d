// Merchants verify each request by a signature over this text. The sender computes the HMAC.
// Interface §5, contract §6. The thread that sends imports this file alone (`@plazo/core/signing`),
// so that it does not load the rest of core.

/** The text that Standard Webhooks signs: id, timestamp (whole seconds) and body. */
export const standardWebhooksText = (id: string, timestamp: number, body: string): string =>
  `${id}.${timestamp}.${body}`

/**
 * How long a replaced secret continues to sign next to the new one, in milliseconds. Contract §6.
 */
export const SECRET_OVERLAP = 24 * 3_600_000
