// Interprets a response, or a missing one, for a client whose server may disappear at any moment, even during the request.

const PATIENCE = 30_000

export type Heard = {
  readonly status: number
  readonly location: string | null
  readonly body: Record<string, unknown>
}

const parsed = (text: string): Record<string, unknown> | null => {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>
  } catch {
    return null
  }
}

const isRefused = ({ cause }: TypeError): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'

export type Hearing = {
  /** Called with a description of something that no client may ever see. */
  readonly onViolation: (what: string) => void
  /** Called if the request may have arrived without a response. */
  readonly onLost?: () => void
  /** Milliseconds within which a running server must have responded. */
  readonly patience?: number
}

/** Null if no complete response arrived: the server was not running, or died during the request. */
export const hear = async (
  asked: Promise<Response>,
  { onViolation, onLost, patience = PATIENCE }: Hearing,
): Promise<Heard | null> => {
  let giveUp: NodeJS.Timeout | undefined
  const silence = new Promise<null>((resolve) => {
    giveUp = setTimeout(() => {
      onViolation(`A request had no answer within ${patience / 1000} s, from a server that was there.`)
      resolve(null)
    }, patience)
  })
  const answer = async (): Promise<Heard | null> => {
    try {
      const response = await asked
      const body = parsed(await response.text())
      if (response.status === 503) return null
      if (response.status >= 500) onViolation(`${response.url} answered ${response.status}.`)
      return body && { status: response.status, location: response.headers.get('location'), body }
    } catch (cause) {
      // Fetch reports a broken connection as a TypeError; anything else is a mistake in this file.
      if (!(cause instanceof TypeError)) throw cause
      if (!isRefused(cause)) onLost?.()
      return null
    }
  }
  const heard = await Promise.race([answer(), silence])
  clearTimeout(giveUp)
  return heard
}
