import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  EXPIRED_CERTIFICATE,
  LOOPBACK_CERTIFICATE,
  UNCHAINED_CERTIFICATE,
} from '../../../../../test/harness/loopback-certificate.ts'
import {
  aGateway,
  hangs,
  OK,
  postOf,
  postTo,
  rawMerchant,
  replies,
  resolver,
  secureMerchant,
} from '../../../../../test/harness/raw-merchant.ts'

const post = (url: string, gateway = aGateway()) => gateway.post(postOf({ url }))()

const failure = (error: string, reason: unknown) => ({ left: { error, reason } })

const trust = (...certificates: readonly string[]): void => {
  const authorities = getCACertificates()
  setDefaultCACertificates([...authorities, ...certificates])
  onTestFinished(() => setDefaultCACertificates(authorities))
}

describe('a failed request says why', () => {
  it('a certificate is not trusted', async () => {
    expect(await post((await secureMerchant()).url)).toMatchObject(
      failure('tls', 'Self-signed certificate.'),
    )
    expect(await post((await secureMerchant(UNCHAINED_CERTIFICATE)).url)).toMatchObject(
      failure(
        'tls',
        expect.stringMatching(/^Unable to verify the first certificate: .* intermediate/),
      ),
    )
    trust(EXPIRED_CERTIFICATE.cert)
    expect(await post((await secureMerchant(EXPIRED_CERTIFICATE)).url)).toMatchObject(
      failure('tls', 'The certificate has expired.'),
    )
  })

  it('a certificate is for another name', async () => {
    trust(LOOPBACK_CERTIFICATE.cert)
    const { port } = await secureMerchant()
    const gateway = aGateway({ lookup: resolver(['127.0.0.1']).lookup })
    expect(await post(`https://other.test:${port}/`, gateway)).toMatchObject(
      failure('tls', 'The certificate is for another name.'),
    )
  })

  it('a server speaks no TLS, or only an outdated version', async () => {
    const plain = await rawMerchant(replies(OK), (socket) =>
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    expect(await post(`https://127.0.0.1:${plain.port}/`)).toMatchObject(
      failure('tls', 'The server does not speak TLS at this port: it may speak plain HTTP.'),
    )
    const old = await secureMerchant({
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL:@SECLEVEL=0',
    })
    expect(await post(old.url)).toMatchObject(
      failure('tls', 'The server supports neither TLS 1.2 nor 1.3.'),
    )
  })

  it('nobody listens, a name does not exist, or a name server does not answer', async () => {
    expect(await post('http://127.0.0.1:1/')).toMatchObject(
      failure('connection_refused', 'Nothing listens at this address and port.'),
    )
    const gatewayWith = (code: string) =>
      aGateway({ lookup: (_, __, done) => done(Object.assign(new Error('x'), { code }), []) })
    expect(await post('http://shop.test/', gatewayWith('ENOTFOUND'))).toMatchObject(
      failure('dns', 'The host name does not exist.'),
    )
    expect(await post('http://shop.test/', gatewayWith('EAI_AGAIN'))).toMatchObject(
      failure('dns', 'The name server does not answer.'),
    )
  })

  it.each([
    [
      'the request',
      async () => await rawMerchant(hangs),
      'http',
      /^The request was sent, but no answer came/,
    ],
    [
      'the TLS handshake',
      async () => await rawMerchant(hangs),
      'https',
      /^The TLS handshake was not complete/,
    ],
    [
      'the body',
      async () => await rawMerchant(replies('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n')),
      'http',
      /body was not complete/,
    ],
  ])('time is over in %s', async (_, merchant, scheme, reason) => {
    const { port } = await merchant()
    const gateway = aGateway({ timeoutMillis: 200 })
    const answer = await postTo({ url: `${scheme}://127.0.0.1:${port}/` }, gateway, {
      readsBody: true,
    })
    expect(answer).toMatchObject(failure('timeout', expect.stringMatching(reason)))
  })

  it.each([
    [
      'an answer that is not HTTP',
      'SSH-2.0-x\r\n\r\n',
      'protocol_error',
      'The answer is not valid HTTP.',
    ],
    [
      'a large body',
      `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(70_000)}`,
      'response_too_large',
      'The answer’s body is larger than 64 KiB.',
    ],
  ])('it got %s', async (_, text, error, reason) => {
    const { url } = await rawMerchant(replies(text))
    expect(await aGateway().post(postOf({ url, readsBody: true }))()).toMatchObject(
      failure(error, reason),
    )
  })
})

const TEXT = 'Señor, el pedido no existe: ¡código!'

describe('the shown body of an answer', () => {
  it('is read as UTF-8, whatever it is', async () => {
    const answer = async (body: Uint8Array) => {
      const head = `HTTP/1.1 500 Oh\r\nContent-Length: ${body.length}\r\n\r\n`
      const { url } = await rawMerchant(replies(head, body))
      const result = await aGateway().post(postOf({ url }))()
      return E.isRight(result) ? result.right.body : result
    }
    expect(await answer(Buffer.from(TEXT))).toBe(TEXT)
    expect(await answer(Buffer.from('ñ', 'latin1'))).toBe('\ufffd')
  })
})
