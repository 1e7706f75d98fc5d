// Runs the sample provider of the guide unchanged, in its own process behind a proxy.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { derivePortSecrets } from '@plazo/adapters/provider'
import { PROVIDER_PORTS } from '@plazo/core'
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts'

const SAMPLE = fileURLToPath(new URL('../../docs/providers/sample.ts', import.meta.url))

export type SampleProvider = {
  readonly front: TlsProxy
  /** The settings that point plazo's ports to it. */
  readonly settings: Readonly<Record<string, string>>
  readonly output: () => string
  readonly stop: () => Promise<void>
}

type SampleOptions = {
  readonly key: Uint8Array
  readonly isSecure: boolean
  readonly env?: Readonly<Record<string, string>>
}

export const startSampleProvider = async ({ key, isSecure, env = {} }: SampleOptions): Promise<SampleProvider> => {
  const front = await startTlsProxy(isSecure)
  const ports = Object.fromEntries(PROVIDER_PORTS.map((port) => [port, { secrets: derivePortSecrets([key], port) }]))
  const child = spawn(process.execPath, [SAMPLE], {
    env: { PATH: process.env.PATH, PORT: '0', SELF_URL: front.url, PORTS: JSON.stringify(ports), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let printed = ''
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const [, number] = /listening on (\d+)/.exec(printed) ?? []
      if (number !== undefined) resolve(number)
    })
    child.once('exit', (code) => reject(new Error(`The provider ended with ${code}.`)))
  })
  front.forwardTo(`http://127.0.0.1:${port}`)
  return {
    front,
    settings: Object.fromEntries(PROVIDER_PORTS.map((name) => [`${name.toUpperCase()}_URL`, `${front.url}/${name}`])),
    output: () => printed,
    stop: async () => {
      child.kill()
      await exited
      await front.close()
    },
  }
}
