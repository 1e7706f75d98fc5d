// The names on the wire that carry the service's own name: one setting gives them all. Contract §1.

export type WireNames = {
  /** As in `Service.form_loaded`, the card form's messages. */
  readonly service: string
  /** Hex HMAC-SHA256 of the raw body of every request sent to a merchant. Interface §5. */
  readonly signatureHeader: string
  /** Interface §4.4. */
  readonly userAgent: string
  /** Names the merchant where neither path nor body does. Contract §2. */
  readonly merchantHeader: string
  /** The identification field that must be `true`. Interface §2.1. */
  readonly privacyField: string
  /** The IPN's parameter that says `approved` or `needs_review`. Contract §5. */
  readonly ipnStateParameter: string
}

/** `service`: a letter, then letters and digits: it stands in names of headers. `ipnStateParameter`: `sq_state`, say. Contract §1. */
export const wireNames = (service: string, ipnStateParameter: string): WireNames => ({
  service,
  signatureHeader: `X-${service}-Signature`,
  userAgent: `${service}-Event/1.0`,
  merchantHeader: `${service}-Merchant-Id`,
  privacyField: `${service.toLowerCase()}_privacy_policy_accepted`,
  ipnStateParameter,
})
