// The work of every peer's checkout between its durable steps: a decision without I/O, and one post
// to the merchant.
import { Agent, request } from 'node:http'

export const STEPS = 6

const ACTIONS = [
  'require_validate_otp',
  'show_identification_form',
  'show_identification_form',
  'wait_for_screening',
  'require_payment',
  'finish',
]

export type Submission = { readonly given_names?: string }
type Decision = { readonly action: string; readonly by: string }

/** `step`: from 1. */
export const decide = (step: number, submitted: Submission): Decision => ({
  action: ACTIONS[step - 1] ?? 'show_error',
  by: submitted.given_names ?? '',
})

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export const notifyMerchant = (sink: string, orderRef: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({
      event: 'risk_assessment',
      order_ref: orderRef,
      risk_level: 'low_risk',
    })
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
    const posting = request(`${sink}/events`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error('Not taken.')),
      )
    })
    posting.once('error', reject)
    posting.end(body)
  })
