// A bare client that posts the same signed bodies as plazo and stores nothing: the least that a
// delivery can cost.
import { Agent, request as nodeRequest } from 'node:http'
import { sign, signStandardWebhook } from '@plazo/adapters/http'
import { wireNames } from '@plazo/core'
import { DEMO } from '../../harness/shop.ts'

export type Client = {
  readonly send: (index: number) => Promise<void>
  readonly close: () => Promise<void>
}

const names = wireNames('Service', 'sq_state')

const BODY = JSON.stringify({
  event: 'identification_action',
  action: 'require_validate_otp',
  order_ref: 'x'.repeat(36),
  order_ref_1: '',
  order_ref_2: '',
})

const signedHeaders = (id: string): Record<string, string> => {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(BODY.length),
    Accept: 'application/json',
    'User-Agent': names.userAgent,
    [names.signatureHeader]: sign(DEMO.secret, BODY),
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': signStandardWebhook([DEMO.secret], { id, timestamp, body: BODY }),
  }
}

/** The HTTP client that plazo uses. */
export const nodeHttp = (port: number, inFlight: number): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  return {
    send: (index) =>
      new Promise((resolve, reject) => {
        const headers = signedHeaders(`id${index}`)
        const options = { port, host: '127.0.0.1', path: '/events', method: 'POST', agent, headers }
        const request = nodeRequest(options, (response) => {
          response.resume()
          response.once('end', resolve)
        })
        request.once('error', reject)
        request.end(BODY)
      }),
    close: async () => agent.destroy(),
  }
}
