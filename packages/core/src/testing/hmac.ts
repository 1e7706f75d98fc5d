// Computes signatures as a receiver does. Tests must not use the gateways' own code for this, or an
// error there goes unseen.
export const hmacSha256 = async (secret: string, text: string): Promise<Uint8Array> => {
  const bytes = new TextEncoder()
  const hash = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), hash, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(text)))
}

export const hexHmac = async (secret: string, text: string): Promise<string> =>
  [...(await hmacSha256(secret, text))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
