// What a client makes of an answer, or of none: the server may be gone at any moment, and may have died over the request.

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
  /** Told of what no client may ever see. */
  readonly onViolation: (what: string) => void
  /** Told where the request may have arrived all the same. */
  readonly onLost?: () => void
  /** Milliseconds within which a server that is there must have answered. */
  readonly patience?: number
}

/** Null where no whole answer came: the server was not there, or died over it. */
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
      // What fetch says of a connection that broke; anything else is a mistake in here.
      if (!(cause instanceof TypeError)) throw cause
      if (!isRefused(cause)) onLost?.()
      return null
    }
  }
  const heard = await Promise.race([answer(), silence])
  clearTimeout(giveUp)
  return heard
}
