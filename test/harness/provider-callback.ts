// Sends plazo the callbacks that a provider would send, signed as the test requires.
import { randomUUID } from 'node:crypto'
import { signStandardWebhook } from '@plazo/adapters/http'
import { derivePortSecrets } from '@plazo/adapters/provider'
import type { ProviderPort } from '@plazo/core'

type CallbackOptions = {
  /** The port whose secret signs the callback, if it is not the port that the callback is sent to. */
  readonly by?: ProviderPort
  readonly key?: Uint8Array
  /** Epoch milliseconds. */
  readonly at?: number
  /** Merged over the default headers; null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Sent instead of the signed body. */
  readonly body?: string
}

type CallbackResult = {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly type: string
}

export const callbacksTo =
  (url: string, ownKey: Uint8Array) =>
  async (port: ProviderPort, content: unknown, options: CallbackOptions = {}): Promise<CallbackResult> => {
    const { by = port, key = ownKey, at = Date.now(), headers = {} } = options
    const body = typeof content === 'string' ? content : JSON.stringify(content)
    const message = { id: randomUUID(), timestamp: Math.floor(at / 1000), body }
    const all = {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestamp),
      'webhook-signature': signStandardWebhook(derivePortSecrets([key], by), message),
      ...headers,
    }
    const headersSent = Object.entries(all).filter((header): header is [string, string] => header[1] !== null)
    const response = await fetch(`${url}/providers/${port}`, {
      method: 'POST',
      headers: headersSent,
      body: options.body ?? body,
    })
    return {
      status: response.status,
      body: (await response.json()) as CallbackResult['body'],
      type: response.headers.get('content-type') ?? '',
    }
  }
