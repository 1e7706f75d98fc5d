// A client or a proxy would give up on an answer that takes minutes. Blanks between its parts keep the
// connection alive, and change nothing of the JSON.
import type { Context } from 'hono'
import { stream } from 'hono/streaming'

const KEEP_ALIVE = 10_000

export const streamWithBlanks = (
  c: Context,
  blank: ' ' | '\n',
  answer: (write: (text: string) => Promise<unknown>) => Promise<void>,
): Response =>
  stream(c, async (out) => {
    const write = (text: string) => out.write(text)
    const blanks = setInterval(() => void write(blank), KEEP_ALIVE)
    try {
      await answer(write)
    } finally {
      clearInterval(blanks)
    }
  })
