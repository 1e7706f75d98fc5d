// Builds and sends long JSON answers in slices. The event loop is free between two slices, and no more is written to a
// connection than its client has read.
import type { Context } from 'hono'
import { yieldToEventLoop } from './event-loop.ts'

/** Bytes of an answer that are built at once, unless a single value takes more. */
export const SLICE_BYTES = 64 * 1024

type Headers = Readonly<Record<string, string>>

/** Text as bytes, in chunks of about `SLICE_BYTES`. */
type ChunkedText = {
  /** Resolves in another turn of the event loop whenever a chunk is full. */
  readonly add: (text: string) => Promise<void>
  readonly end: () => readonly Buffer[]
}

export const createChunkedText = (): ChunkedText => {
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
      await yieldToEventLoop()
    },
    end: () => {
      flush()
      return chunks
    },
  }
}

const totalBytes = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** A body that hands on a chunk once the chunk before it has been taken. `next` resolves to null after the last one. */
export const streamBody = (next: () => Promise<Uint8Array | null>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        // A client on the same machine would take all chunks at once, without a turn of the event loop in between.
        await yieldToEventLoop()
        const chunk = await next()
        if (chunk === null) controller.close()
        else controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )

/** A JSON answer whose bytes are complete. It has a known length, and its chunks are released as they are sent. */
export const respondWithChunks = (c: Context, chunks: readonly Buffer[], headers: Headers = {}): Response => {
  const length = totalBytes(chunks)
  const all = { 'content-type': 'application/json', 'content-length': String(length), ...headers }
  // A Response takes a copy in an ArrayBuffer of its own; the copy is small.
  if (length <= SLICE_BYTES) return c.body(new Uint8Array(Buffer.concat(chunks)), 200, all)
  const left = [...chunks]
  return c.body(
    streamBody(async () => left.shift() ?? null),
    200,
    all,
  )
}
