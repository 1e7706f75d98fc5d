// Interprets a response, or a missing one, for a client whose server may disappear at any moment, even during the request.

const PATIENCE = 30_000

export type ReceivedResponse = {
  readonly status: number
  readonly location: string | null
  readonly body: Record<string, unknown>
}

const parseJson = (text: string): Record<string, unknown> | null => {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>
  } catch {
    return null
  }
}

const isConnectionRefused = ({ cause }: TypeError): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'

export type ResponseWatch = {
  /** Called with a description of something that no client may ever see. */
  readonly onViolation: (what: string) => void
  /** Called if the request may have arrived without a response. */
  readonly onLost?: () => void
  /** Milliseconds within which a running server must have responded. */
  readonly patience?: number
}

/** Null if no complete response arrived: the server was not running, or died during the request. */
export const receiveResponse = async (
  request: Promise<Response>,
  { onViolation, onLost, patience = PATIENCE }: ResponseWatch,
): Promise<ReceivedResponse | null> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => {
      onViolation(`A request had no answer within ${patience / 1000} s, from a server that was there.`)
      resolve(null)
    }, patience)
  })
  const answer = async (): Promise<ReceivedResponse | null> => {
    try {
      const response = await request
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
