// The server under test, as far as a client knows it: its address, a merchant's credentials, and
// optional capabilities.
import { type WireNames, wireNames } from '../../order/terms.ts'

/** A request as the merchant's receiver got it, and the receiver's answer. */
export type ReceivedRequest = {
  readonly path: string
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
  readonly answer: { readonly status: number; readonly body: string }
}

/**
 * The merchant's receiver, at an address that the server can reach. Without one, deliveries cannot
 * be seen.
 */
export type MerchantSide = {
  readonly url: string
  /** All requests received, in their order. */
  readonly received: () => readonly ReceivedRequest[]
  /** Sets the answer to requests to this path from now on; the default is 200. */
  readonly answer: (path: string, status: number, body?: string) => void
}

/** The server under test, and what the tests may use of it. */
export type Subject = {
  /** The server's address, without a slash at the end. */
  readonly url: string
  readonly merchant: { readonly ref: string; readonly username: string; readonly password: string }
  /** Epoch milliseconds. A sandbox is asked for its own time instead. */
  readonly now: () => number
  /** True if `/sandbox/…` exists, so that codes can be read and the clock can be moved. */
  readonly isSandbox: boolean
  /** Null: no operator reviews or cancels orders. */
  readonly operatorPassword: string | null
  readonly receiver: MerchantSide | null
  readonly names?: WireNames
  readonly fetch?: typeof fetch
}

export type CallResult = {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

export const namesOf = ({ names }: Subject): WireNames => names ?? wireNames('Service', 'sq_state')

/** Calls the server without credentials, with wrong ones, as the merchant, or as the operator. */
export const callsTo = (subject: Subject) => {
  const send = subject.fetch ?? fetch
  const basic = (username: string, password: string) => ({
    authorization: `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`,
  })
  const { username, password } = subject.merchant

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CallResult> => {
    const isForm = body instanceof URLSearchParams
    // A text is sent as it is, so that it can be no JSON.
    const isSent = isForm || typeof body === 'string'
    const type: Readonly<Record<string, string>> =
      body === undefined || isForm ? {} : { 'content-type': 'application/json' }
    const response = await send(path.startsWith('http') ? path : `${subject.url}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: isSent ? body : JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: parseJson(await response.text()),
    }
  }

  return {
    asAnybody: (method: string, path: string, body?: unknown) => call(method, path, body),
    asMerchant: (method: string, path: string, body?: unknown) =>
      call(method, path, body, basic(username, password)),
    /** As a script of a page of another origin. */
    asPage: (method: string, path: string, body?: unknown) =>
      call(method, path, body, { origin: 'https://page.example' }),
    asOperator: (method: string, path: string) =>
      call(method, path, undefined, basic('operator', subject.operatorPassword ?? '')),
    form: (url: string, fields: Readonly<Record<string, string>>) =>
      call('POST', url, new URLSearchParams(fields)),
  }
}
