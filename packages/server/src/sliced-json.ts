// Long JSON answers, made and sent in slices: made, so that the event loop is free between two of them; sent, so that no more is
// written to a connection than its client has read.
import type { Context } from 'hono'
import { nextTurn } from './event-loop.ts'

/** Up to so many bytes of an answer are made at once, unless a single value takes more. */
export const SLICE_BYTES = 64 * 1024

type Headers = Readonly<Record<string, string>>

/** Text as bytes, in chunks of about `SLICE_BYTES`. */
type TextInChunks = {
  /** Resolves on another turn of the event loop whenever a chunk is full. */
  readonly add: (text: string) => Promise<void>
  readonly end: () => readonly Buffer[]
}

export const textInChunks = (): TextInChunks => {
  const chunks: Buffer[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') chunks.push(Buffer.from(text))
    text = ''
  }
  return {
    add: async (more) => {
      text += more
      if (text.length < SLICE_BYTES) return
      flush()
      await nextTurn()
    },
    end: () => {
      flush()
      return chunks
    },
  }
}

const lengthOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** A body of which a chunk is handed on when the one before it has been taken. `next` answers null after the last. */
export const bodyOf = (next: () => Promise<Uint8Array | null>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        // A client on the same machine takes each chunk at once, without the event loop having come round.
        await nextTurn()
        const chunk = await next()
        if (chunk === null) controller.close()
        else controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )

/** JSON whose bytes are all there: of a length that is known, and let go of as it is sent. */
export const jsonChunks = (c: Context, chunks: readonly Buffer[], headers: Headers = {}): Response => {
  const length = lengthOf(chunks)
  const all = { 'content-type': 'application/json', 'content-length': String(length), ...headers }
  // A copy into an ArrayBuffer of its own is what a Response takes; it is small.
  if (length <= SLICE_BYTES) return c.body(new Uint8Array(Buffer.concat(chunks)), 200, all)
  const left = [...chunks]
  return c.body(
    bodyOf(async () => left.shift() ?? null),
    200,
    all,
  )
}
