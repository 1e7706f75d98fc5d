// `pnpm walk` takes an order to its end, whoever decides about it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../support/running-server.ts'
import { type SampleProvider, startSampleProvider } from '../support/sample-provider.ts'

const WALK = fileURLToPath(new URL('../../packages/server/src/walk.ts', import.meta.url))
const KEY = Buffer.alloc(32, 7)

const walking = (url: string, ...words: readonly string[]) => {
  const child: ChildProcess = spawn(process.execPath, [WALK, '--url', url, ...words], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const exited = once(child, 'exit')
  const matched = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const read = (chunk = ''): void => {
        printed += chunk
        const [, found] = pattern.exec(printed) ?? []
        if (found !== undefined) resolve(found)
      }
      read()
      child.stdout?.on('data', (chunk: Buffer) => read(chunk.toString()))
    })
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk))
  const ended = async () => {
    const [code] = await exited
    return { code, printed }
  }
  return { matched, ended }
}

describe('pnpm walk', () => {
  it('takes an order to its end in a sandbox', async () => {
    const server = await startServer()
    const walk = walking(server.url)
    const finished = walk.matched(/(finish )/)
    await finished
    expect(await walk.ended()).toMatchObject({ code: 0, printed: expect.stringContaining('"checkout":"confirmed"') })
    await server.stop()
  })

  describe('where providers decide', () => {
    let provider: SampleProvider
    let server: RunningServer
    beforeAll(async () => {
      provider = await startSampleProvider({ key: KEY, isSecure: false })
      server = await startServer({ env: { SECRET_KEY: KEY.toString('base64'), ...provider.settings } })
    })
    afterAll(async () => {
      await server.stop()
      await provider.stop()
    })

    it('enters the code that always works, as the one that was sent is the provider’s to know', async () => {
      const walk = walking(server.url, '--product', 'i1')
      await walk.matched(/(finish )/)
      expect(await walk.ended()).toMatchObject({
        code: 0,
        printed: expect.stringContaining('{"validation_code":"12345"}'),
      })
    })

    it('says which page of the provider’s to open, and goes on once it was used', async () => {
      const walk = walking(server.url, '--product', 'fp1')
      const page = await walk.matched(/open (\S+\/pay\/\S+)/)
      // A browser comes again by itself while the provider has not said yet where his page is.
      const opened = async (): Promise<Response> => {
        const answer = await fetch(page)
        return answer.redirected ? answer : opened()
      }
      await fetch((await opened()).url, { method: 'POST', body: new URLSearchParams({ result: 'succeeded' }) })
      expect(await walk.ended()).toMatchObject({ code: 0, printed: expect.stringContaining('"checkout":"confirmed"') })
    })
  })
})
