// Some names on the wire contain the service's own name. All of them derive from one setting. Contract §1.

export type WireNames = {
  /** The prefix of the card form's messages, as in `Service.form_loaded`. */
  readonly service: string
  /** Hex HMAC-SHA256 of the raw body of every request sent to a merchant. Interface §5. */
  readonly signatureHeader: string
  /** The `User-Agent` of requests to merchants. Interface §4.4. */
  readonly userAgent: string
  /** The header that names the merchant if neither path nor body does. Contract §2. */
  readonly merchantHeader: string
  /** The identification field that must be `true`. Interface §2.1. */
  readonly privacyField: string
  /** The IPN's parameter whose value is `approved` or `needs_review`. Contract §5. */
  readonly ipnStateParameter: string
}

/**
 * `service`: a letter, then letters and digits, because it is part of header names. `ipnStateParameter`: for example
 * `sq_state`. Contract §1.
 */
export const wireNames = (service: string, ipnStateParameter: string): WireNames => ({
  service,
  signatureHeader: `X-${service}-Signature`,
  userAgent: `${service}-Event/1.0`,
  merchantHeader: `${service}-Merchant-Id`,
  privacyField: `${service.toLowerCase()}_privacy_policy_accepted`,
  ipnStateParameter,
})
