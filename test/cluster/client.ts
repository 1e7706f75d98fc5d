// A client of a server that may disappear at any moment, even during a request. It interprets a response, or a missing one.
import { type Answered, type ClientRequest, fetchOptions } from '../harness/shopper.ts'

const PATIENCE = 30_000

type ClientOptions = {
  readonly url: string
  /** Sends a request, if there are several servers. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Called with a description of something that no client may ever see. */
  readonly onViolation: (what: string) => void
}

/** `onLost`: called if the request may have arrived without a response. `patience`: milliseconds a running server has. */
type AskOptions = { readonly onLost?: () => void; readonly patience?: number }

/** Resolves to null if no complete response arrived: the server was not running, or died during the request. */
export type Client = (request: ClientRequest, options?: AskOptions) => Promise<Answered | null>

const parseJson = (text: string): Answered['body'] | null => {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Answered['body']
  } catch {
    return null
  }
}

const isConnectionRefused = ({ cause }: TypeError): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'

export const openClient =
  ({ url, fetch = globalThis.fetch, onViolation }: ClientOptions): Client =>
  async (request, { onLost, patience = PATIENCE } = {}) => {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        onViolation(`A request had no answer within ${patience / 1000} s, from a server that was there.`)
        resolve(null)
      }, patience)
    })
    const answer = async (): Promise<Answered | null> => {
      try {
        const response = await fetch(`${url}${request.path}`, fetchOptions(request))
        const body = parseJson(await response.text())
        if (response.status === 503) return null
        if (response.status >= 500) onViolation(`${response.url} answered ${response.status}.`)
        return body && { status: response.status, location: response.headers.get('location'), body }
      } catch (cause) {
        // Fetch reports a broken connection as a TypeError; anything else is a mistake in this file.
        if (!(cause instanceof TypeError)) throw cause
        if (!isConnectionRefused(cause)) onLost?.()
        return null
      }
    }
    const received = await Promise.race([answer(), timeout])
    clearTimeout(timer)
    return received
  }
