import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LOOPBACK_CERTIFICATE } from '../../../../../test/harness/loopback-certificate.ts'
import {
  aGateway,
  OK,
  postTo,
  rawMerchant,
  replies,
  secureMerchant,
} from '../../../../../test/harness/raw-merchant.ts'
import { addressGuard } from '../guard/ssrf-guard.ts'

const delivered = E.right({ status: 200, retryAfter: null, body: '{}' })
const failure = (error: string) => ({ left: { _tag: 'RequestFailure', error } })

const loopback = (port: number) => [
  { cidr: '127.0.0.0/8', port },
  { cidr: '::1/128', port },
]

describe('a secure connection', () => {
  const authorities = getCACertificates()
  beforeEach(() => setDefaultCACertificates([...authorities, LOOPBACK_CERTIFICATE.cert]))
  afterEach(() => setDefaultCACertificates(authorities))

  it('carries several requests to the host that the certificate names', async () => {
    const merchant = await secureMerchant()
    const gateway = aGateway({
      guard: addressGuard({ allow: loopback(merchant.port) }),
    })
    for (let number = 0; number < 3; number++) {
      expect(await postTo(merchant, gateway, { readsBody: true })).toEqual(delivered)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    expect(merchant.connections()).toBe(1)
  })

  it('that is reset during its handshake fails', async () => {
    const merchant = await rawMerchant(replies(OK), (socket) =>
      socket.once('data', () => socket.resetAndDestroy()),
    )
    const result = await postTo({ url: `https://127.0.0.1:${merchant.port}/` })
    expect(result).toMatchObject(failure('connection_reset'))
  })
})
