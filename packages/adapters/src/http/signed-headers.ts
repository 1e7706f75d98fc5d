// The headers that every signed request has, to merchants and to providers. Nothing here needs Node,
// so that a host at the edge of a network can send the same requests. Interface §5, contract §6.
import { standardWebhooksText } from '@plazo/core/signing'

/** HMAC-SHA256 of a text with a secret, both as UTF-8. */
export type Hmac = (
  secret: string,
  text: string,
  encoding: 'hex' | 'base64',
) => string | Promise<string>

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** By WebCrypto, which every host has. */
export const webHmac: Hmac = async (secret, text, encoding) => {
  const encoder = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), ALGORITHM, false, [
    'sign',
  ])
  const bytes = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, encoder.encode(text)))
  return encoding === 'hex'
    ? Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    : btoa(String.fromCharCode(...bytes))
}

/** A signature as Standard Webhooks writes it. */
export const standardSignature = (base64: string): string => `v1,${base64}`

type SignedContent = { readonly id: string; readonly contentType: string; readonly body: string }

type Signer = {
  /** The live secrets, the current one first. */
  readonly secrets: readonly string[]
  readonly userAgent: string
  /** Epoch milliseconds. Real time, because receivers compare it with their own clocks. */
  readonly now: number
  /** Default: `webHmac`. */
  readonly hmac?: Hmac
}

/** The headers of one request, except those of HTTP itself. */
export const signedHeaders = async (
  { id, contentType, body }: SignedContent,
  { secrets, userAgent, now, hmac = webHmac }: Signer,
) => {
  const timestamp = Math.floor(now / 1000)
  const text = standardWebhooksText(id, timestamp, body)
  const signatures = await Promise.all(secrets.map((secret) => hmac(secret, text, 'base64')))
  return {
    'Content-Type': contentType,
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': userAgent,
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': signatures.map(standardSignature).join(' '),
  }
}
