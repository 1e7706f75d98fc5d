// Places orders of many merchants and takes each to its IPN, no matter how the merchants' endpoints behave.
import { Agent, request } from 'node:http'
import { basic, orderBody, PERSON } from '../harness/shop.ts'

const CODE = '12345'
export const PASSWORD = 'isolation'
const POLL_EVERY = 50
const POLLS = 200

export type PlacedOrder = { readonly merchant: string; readonly orderRef: string }

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

type AnswerParts = { readonly status: number; readonly location: string; readonly body: string }

export const ask = (url: string, method: string, authorization: string | null, body?: unknown): Promise<AnswerParts> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      ...(authorization !== null && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    const outgoing = request(url, { method, agent, headers }, (response) => {
      let received = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        received += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '', body: received }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })

export const credentialsOf = (merchant: string): string => basic(merchant, PASSWORD)

const actionOf = ({ body }: AnswerParts): string => (JSON.parse(body) as { readonly action?: string }).action ?? ''

/** Places an order and resolves once its IPN is due. `servers`: each request goes to the next one. */
export const leadOrder = async (servers: () => string, receivers: string, merchant: string): Promise<PlacedOrder> => {
  const urls = {
    id: merchant,
    return_url: `${receivers}/back`,
    notify_url: `${receivers}/${merchant}/ipn`,
    events_webhook: { url: `${receivers}/${merchant}/events`, parameters: {} },
  }
  const placed = await ask(`${servers()}/orders`, 'POST', credentialsOf(merchant), orderBody({ merchant: urls }))
  const orderRef = placed.location.split('/').at(-1) ?? ''
  if (orderRef === '') throw new Error(`POST /orders was answered ${placed.status}: ${placed.body}`)
  const checkout = `/api/v1/checkout/${orderRef}`
  const submit = (overrides: object) =>
    ask(`${servers()}${checkout}/identification`, 'POST', null, { ...PERSON, ...overrides })
  await submit({})
  let action = actionOf(await submit({ validation_code: CODE }))
  for (let polls = 0; action !== 'wait_for_confirmation' && action !== 'finish'; polls++) {
    if (polls === POLLS) throw new Error(`${orderRef} has come to ${action} only.`)
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY))
    action = actionOf(
      action === 'resume_after_screening' ? await submit({}) : await ask(`${servers()}${checkout}/wait`, 'GET', null),
    )
  }
  return { merchant, orderRef }
}

type Line = { readonly at: string; readonly to: { readonly checkout: string } }

/** When the step was made that asks the merchant to confirm, in epoch milliseconds; null if there is none. */
export const confirmingSince = async (server: string, { merchant, orderRef }: PlacedOrder): Promise<number | null> => {
  const { body } = await ask(`${server}/orders/${orderRef}/history`, 'GET', credentialsOf(merchant))
  const line = (JSON.parse(body) as readonly Line[]).find(({ to }) => to.checkout === 'confirming')
  return line === undefined ? null : Date.parse(line.at)
}
