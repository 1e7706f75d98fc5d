// `plazo demo` is the first thing a newcomer runs: it must take an order to its end, with the
// sandbox or with providers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { type SampleProvider, startSampleProvider } from '../harness/sample-provider.ts'

const CLI = fileURLToPath(new URL('../../packages/server/src/cli.ts', import.meta.url))
const KEY = Buffer.alloc(32, 7)

const demo = (url: string, ...words: readonly string[]) => {
  const child: ChildProcess = spawn(process.execPath, [CLI, 'demo', '--url', url, ...words], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const read = (chunk: Buffer): void => {
    printed += chunk
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  const closed = once(child, 'close')
  /** The first group of the pattern, as soon as matching output is printed. */
  const waitForMatch = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, match] = pattern.exec(printed) ?? []
      if (match !== undefined) return match
      if (child.stdout !== null) await once(child.stdout, 'data')
    }
  }
  const waitForEnd = async () => {
    const [code] = await closed
    return { code, printed }
  }
  return { matched: waitForMatch, ended: waitForEnd }
}

describe('plazo demo', () => {
  describe('in a sandbox', () => {
    let server: RunningServer
    beforeAll(async () => {
      server = await startServer()
    })
    afterAll(() => server.stop())

    // The command pauses for its readers, so all run at once.
    it.concurrent.each([
      ['García Ruiz', 'confirmed'],
      ['verification event', 'confirmed'],
      ['Iker', 'rejected'],
      ['identity event', 'confirmed'],
      ['Luis review event', 'confirmed'],
    ])('takes the order of %s to its end: %s', async (person, checkout) => {
      expect(await demo(server.url, person).ended()).toMatchObject({
        code: 0,
        printed: expect.stringContaining(`"checkout":"${checkout}"`),
      })
    })
  })

  describe('with external providers', () => {
    let provider: SampleProvider
    let server: RunningServer
    beforeAll(async () => {
      provider = await startSampleProvider({ key: KEY, isSecure: false })
      server = await startServer({
        env: { SECRET_KEY: KEY.toString('base64'), ...provider.settings },
      })
    })
    afterAll(async () => {
      await server.stop()
      await provider.stop()
    })

    it('prints the provider’s page to open, and continues once it was used', async () => {
      const running = demo(server.url, '--product', 'fp1')
      const page = await running.matched(/open (\S+\/pay\/\S+)/)
      // A browser reloads by itself until the provider has sent the address of its page.
      const openPage = async (): Promise<Response> => {
        const answer = await fetch(page)
        return answer.redirected ? answer : openPage()
      }
      await fetch((await openPage()).url, {
        method: 'POST',
        body: new URLSearchParams({ result: 'succeeded' }),
      })
      expect(await running.ended()).toMatchObject({
        code: 0,
        printed: expect.stringContaining('"checkout":"confirmed"'),
      })
    })
  })
})
