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

/**
 * Follows server-sent events while the tab is shown. A browser opens six connections to a server, so
 * hidden tabs must not keep theirs. Returns how to stop.
 */
export const followWhileShown = (open: () => EventSource): (() => void) => {
  let stream: EventSource | null = null
  const follow = (): void => {
    stream?.close()
    stream = document.hidden ? null : open()
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    stream?.close()
  }
}
