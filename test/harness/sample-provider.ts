// Runs the sample provider of the guide unchanged, in its own process behind a proxy, and sends
// plazo the callbacks that a provider would send, signed as the test requires.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { signStandardWebhook } from '@plazo/adapters/http'
import { derivePortSecrets } from '@plazo/adapters/internal/provider'
import { PROVIDER_PORTS, type ProviderPort } from '@plazo/core/internal'
import type { Json } from './shop.ts'
import { startTlsProxy } from './tls-proxy.ts'

const SAMPLE = fileURLToPath(new URL('../../docs/providers/sample.ts', import.meta.url))

type SampleOptions = {
  readonly key: Uint8Array
  readonly isSecure: boolean
  readonly env?: Readonly<Record<string, string>>
}

export const startSampleProvider = async ({ key, isSecure, env = {} }: SampleOptions) => {
  const front = await startTlsProxy(isSecure)
  const ports = Object.fromEntries(
    PROVIDER_PORTS.map((port) => [port, { secrets: derivePortSecrets([key], port) }]),
  )
  const child = spawn(process.execPath, [SAMPLE], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      SELF_URL: front.url,
      PORTS: JSON.stringify(ports),
      ...env,
    },
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
    /** The settings that point plazo's ports to it. */
    settings: Object.fromEntries(
      PROVIDER_PORTS.map((name) => [`${name.toUpperCase()}_URL`, `${front.url}/${name}`]),
    ),
    output: () => printed,
    stop: async () => {
      child.kill()
      await exited
      await front.close()
    },
  }
}

type CallbackOptions = {
  /**
   * The port whose secret signs the callback, if it is not the port that the callback is sent to.
   */
  readonly by?: ProviderPort
  /** Epoch milliseconds. */
  readonly at?: number
  /** Merged over the default headers; null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Sent instead of the signed body. */
  readonly body?: string
}

export const callbacksTo =
  (url: string, key: Uint8Array) =>
  async (port: ProviderPort, content: unknown, options: CallbackOptions = {}) => {
    const { by = port, at = Date.now(), headers = {} } = options
    const body = typeof content === 'string' ? content : JSON.stringify(content)
    const message = { id: randomUUID(), timestamp: Math.floor(at / 1000), body }
    const all = {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestamp),
      'webhook-signature': signStandardWebhook(derivePortSecrets([key], by), message),
      ...headers,
    }
    const headersSent = Object.entries(all).filter(
      (header): header is [string, string] => header[1] !== null,
    )
    const response = await fetch(`${url}/providers/${port}`, {
      method: 'POST',
      headers: headersSent,
      body: options.body ?? body,
    })
    return {
      status: response.status,
      body: (await response.json()) as Json,
      type: response.headers.get('content-type') ?? '',
    }
  }
