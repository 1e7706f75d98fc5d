import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nodeHmac, sign, signStandardWebhook } from './signature.ts'
import { webHmac } from './signed-headers.ts'

const SECRET = '0123456789abcdef0123456789abcdef'
const OTHER = 'fedcba9876543210fedcba9876543210'
const MESSAGE = { id: 'msg_1', timestamp: 1_700_000_000, body: '{"name":"José"}' }

describe('the signature of a body', () => {
  it('matches the second test case of RFC 4231', () => {
    expect(sign('Jefe', 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('covers bytes, so that text counts as UTF-8', () => {
    expect(sign(SECRET, 'José')).toBe(sign(SECRET, new TextEncoder().encode('José')))
  })
})

describe('the Standard Webhooks signature', () => {
  it('uses the secret’s characters as its key, and covers id, timestamp and body', () => {
    const expected = createHmac('sha256', Buffer.from(SECRET, 'utf8'))
      .update(`msg_1.1700000000.${MESSAGE.body}`, 'utf8')
      .digest('base64')
    expect(signStandardWebhook([SECRET], MESSAGE)).toBe(`v1,${expected}`)
  })

  it('appears once for every live secret, the current one first', () => {
    const [current, former] = signStandardWebhook([SECRET, OTHER], MESSAGE).split(' ')
    expect(current).toBe(signStandardWebhook([SECRET], MESSAGE))
    expect(former).toBe(signStandardWebhook([OTHER], MESSAGE))
  })
})

it('WebCrypto and node:crypto make the same signatures', async () => {
  for (const text of ['', 'event=denied', '{"name":"José ✓"}'])
    for (const encoding of ['hex', 'base64'] as const)
      expect(await webHmac(SECRET, text, encoding)).toBe(nodeHmac(SECRET, text, encoding))
})
