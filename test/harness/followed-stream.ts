// Follows a stream of server-sent events over HTTP, as a browser's EventSource does.
import { waitUntil } from './wait-until.ts'

type StreamedEvent = { readonly id: number; readonly type: string; readonly data: unknown }

export type FollowedStream = {
  readonly status: number
  readonly headers: Headers
  /** Everything received so far. */
  readonly text: () => string
  readonly events: () => readonly StreamedEvent[]
  /** Resolves once the server has ended the stream. */
  readonly ended: Promise<void>
  /** Resolves once an event with this id has come. */
  readonly reach: (id: number) => Promise<void>
  /** Leaves, as a closed tab does. */
  readonly leave: () => Promise<void>
}

const eventOf = (block: string): readonly StreamedEvent[] => {
  const [, id = '', type = '', data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
  return id === '' ? [] : [{ id: Number(id), type, data: JSON.parse(data) }]
}

export const followStream = async (
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FollowedStream> => {
  const leaving = new AbortController()
  const response = await fetch(url, { headers, signal: leaving.signal })
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  // A stream may also end with its connection.
  const ended = read().catch(() => {})
  const events = () => text.split('\n\n').slice(0, -1).flatMap(eventOf)
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    events,
    ended,
    reach: (last) => waitUntil(() => events().some(({ id }) => id >= last)),
    leave: async () => {
      leaving.abort()
      await ended
    },
  }
}
