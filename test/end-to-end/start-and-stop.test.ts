// Starting and stopping the server, and its settings. Contract §7.
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { temporaryPath } from '../harness/ports-and-folders.ts'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { CODE, PERSON, shopAt } from '../harness/shop.ts'
import { agreement, checkoutOf, surnames } from './stages.ts'

const withServer = async (
  env: Readonly<Record<string, string>>,
  use: (server: RunningServer) => Promise<void>,
): Promise<void> => {
  const server = await startServer({ env })
  try {
    await use(server)
  } finally {
    await server.kill().catch(() => {})
  }
}

// Each test has its own server, so that they can run in parallel.
describe.concurrent('a process', () => {
  it('shortens what its settings shorten', async () => {
    const windows = { SCREENING_WINDOW: '10s', OTP_LIFETIME: '1m', CHECKOUT_LIFETIME: '2h' }
    await withServer(windows, async ({ url }) => {
      const shop = shopAt(url)
      const person = agreement('fp1')
      const slow = { ...person, ...surnames('expiry event') }
      const [screening, waiting] = [await shop.place(), await shop.place()]
      await shop.submit(screening, slow)
      await shop.submit(screening, { ...slow, validation_code: CODE })
      expect(await shop.wait(screening)).toEqual({ action: 'wait_for_screening', expires_in: 10 })
      await shop.submit(waiting, person)
      await shop.advance(61)
      expect(await shop.wait(screening)).toEqual({ action: 'resume_after_screening' })
      expect(await shop.submit(waiting, { ...person, validation_code: CODE })).toMatchObject({
        errors: { validation_code: 'invalid' },
      })
      await shop.advance(7_200)
      expect(await checkoutOf(shop, waiting)).toBe('expired')
    })
  })

  it('opens no debugger on SIGUSR1', async () => {
    await withServer({ LOG_LEVEL: 'info' }, async ({ child, url, output }) => {
      child.kill('SIGUSR1')
      child.kill('SIGUSR1')
      for (let n = 0; n < 5; n++) expect((await fetch(`${url}/healthz`)).status).toBe(200)
      expect(output()).not.toContain('Debugger')
    })
  })

  it('SIGTERM ends a server whose log nobody reads any more with 0; it kept running until then', async () => {
    const { child, url, terminate } = await startServer({ env: { LOG_LEVEL: 'debug' } })
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    const shop = shopAt(url)
    expect(await shop.submit(await shop.place())).toMatchObject({
      action: 'require_validate_otp',
    })
    expect(await terminate()).toBe(0)
  })

  it.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    '%s makes the server not ready, ends each connection after its answer, finishes what is in flight, and exits with 0',
    async (signal) => {
      const { path, remove } = temporaryPath('plazo.db')
      const env = { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'warn' }
      const server = await startServer({ env })
      const shop = shopAt(server.url)
      const ref = await shop.place()
      // Only half of this submission has arrived.
      const body = JSON.stringify(PERSON)
      const answered = new Promise<{ connection: string | undefined; text: string }>(
        (resolve, reject) => {
          const sending = request(
            `${server.url}/api/v1/checkout/${ref}/identification`,
            {
              method: 'POST',
              headers: {
                'content-type': 'application/json',
                'content-length': Buffer.byteLength(body),
              },
            },
            (response) => {
              response.setEncoding('utf8')
              let text = ''
              response.on('data', (chunk: string) => (text += chunk))
              response.on('end', () => resolve({ connection: response.headers.connection, text }))
            },
          )
          sending.on('error', reject)
          sending.write(body.slice(0, 20))
          setTimeout(() => sending.end(body.slice(20)), 1_000)
        },
      )
      await new Promise((resolve) => setTimeout(resolve, 200))
      const ended = once(server.child, 'exit')
      server.child.kill(signal)
      await new Promise((resolve) => setTimeout(resolve, 300))
      for (const [address, status] of [
        ['/readyz', 503],
        ['/healthz', 200],
        [`/api/v1/checkout/${ref}/wait`, 200],
        ['/nowhere', 404],
      ] as const) {
        const answer = await fetch(`${server.url}${address}`)
        expect([answer.status, answer.headers.get('connection')], address).toEqual([
          status,
          'close',
        ])
      }
      const { connection, text } = await answered
      expect([connection, JSON.parse(text)]).toEqual(['close', { action: 'require_validate_otp' }])
      expect(await ended).toEqual([0, null])
      await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()

      // Everything that was answered is stored. A key file that others can read is named in the log.
      expect(server.output()).not.toContain('key_file_open')
      chmodSync(`${path}.key`, 0o666)
      await withServer(env, async ({ url, output }) => {
        expect(await shopAt(url).wait(ref)).toEqual({ action: 'require_validate_otp' })
        expect(output()).toContain('"event":"key_file_open"')
      })
      remove()
    },
  )
})
