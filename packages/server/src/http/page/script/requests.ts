// Scripts of pages ask this server here. A request that fails is a value, so that no
// page stops working with an error.

/** Null: the server does not answer, or refuses. */
export const readJson = async <A>(url: string): Promise<A | null> => {
  const answer = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => null)
  return answer?.ok ? answer.json().catch(() => null) : null
}

type Problem = { readonly detail?: string; readonly errors?: readonly string[] }

/** A text says why there is no answer. */
export const postJson = async <A>(url: string, body: object): Promise<A | string> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null)
  const content: (A & Problem) | null = await answer?.json().catch(() => null)
  // A move of the clock that fails on the way has begun its answer already, with 200.
  if (answer?.ok && content && content.detail === undefined) return content
  return content?.detail ?? content?.errors?.join(' ') ?? 'The server does not answer. Try again.'
}

// A browser opens six connections to a server, for all its tabs. Three stay free to load pages.
const STREAMS = ['plazo-stream-1', 'plazo-stream-2', 'plazo-stream-3']
/** A tab keeps its stream for so long, and then until another tab waits for it. */
const TURN_MILLIS = 2_000

/**
 * Follows server-sent events while the tab is shown. Hidden tabs have no stream, and tabs in more
 * windows than there are streams take turns. So `open` must resume where the tab is. Returns how to
 * stop.
 */
export const followWhileShown = (open: () => EventSource): (() => void) => {
  let leaving = new AbortController()
  const follow = (): void => {
    leaving.abort()
    leaving = new AbortController()
    if (!document.hidden) void takeTurns(open, leaving.signal)
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    leaving.abort()
  }
}

const takeTurns = async (open: () => EventSource, signal: AbortSignal): Promise<void> => {
  const { locks } = navigator
  try {
    while (!signal.aborted) {
      const { held = [] } = await locks.query()
      const free = STREAMS.find((name) => held.every((lock) => lock.name !== name))
      const name = free ?? STREAMS[Math.floor(Math.random() * STREAMS.length)] ?? ''
      const isAwaited = async () =>
        (await locks.query()).pending?.some((lock) => lock.name === name) ?? false
      await locks.request(name, { signal }, () => takeTurn(open, signal, isAwaited))
    }
  } catch {
    // Plain HTTP has no locks, except on this computer, nor have older browsers.
    await takeTurn(open, signal, async () => false)
  }
}

const takeTurn = (
  open: () => EventSource,
  signal: AbortSignal,
  isAwaited: () => Promise<boolean>,
): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const stream = open()
    const end = (): void => {
      clearInterval(timer)
      stream.close()
      resolve()
    }
    const timer = setInterval(async () => {
      if (await isAwaited()) end()
    }, TURN_MILLIS)
    signal.addEventListener('abort', end)
  })
