// Tells plazo what a provider would, signed as a test says.
import { randomUUID } from 'node:crypto'
import { signStandardWebhook } from '@plazo/adapters/http'
import { portSecrets } from '@plazo/adapters/provider'
import type { ProviderPort } from '@plazo/core'

type CallbackOptions = {
  /** Whose secret signs it, where that is not the port's. */
  readonly by?: ProviderPort
  readonly key?: Uint8Array
  /** Epoch milliseconds. */
  readonly at?: number
  /** Laid over the headers; null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Sent in place of what was signed. */
  readonly sent?: string
}

type Told = { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly type: string }

export const callbacksTo =
  (url: string, ownKey: Uint8Array) =>
  async (port: ProviderPort, content: unknown, options: CallbackOptions = {}): Promise<Told> => {
    const { by = port, key = ownKey, at = Date.now(), headers = {} } = options
    const body = typeof content === 'string' ? content : JSON.stringify(content)
    const message = { id: randomUUID(), timestamp: Math.floor(at / 1000), body }
    const all = {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestamp),
      'webhook-signature': signStandardWebhook(portSecrets([key], by), message),
      ...headers,
    }
    const kept = Object.entries(all).filter((header): header is [string, string] => header[1] !== null)
    const response = await fetch(`${url}/providers/${port}`, {
      method: 'POST',
      headers: kept,
      body: options.sent ?? body,
    })
    return {
      status: response.status,
      body: (await response.json()) as Told['body'],
      type: response.headers.get('content-type') ?? '',
    }
  }
