// Shares the event loop: no request keeps the others waiting for longer than one small piece of work
// takes. docs/performance/event-loop.md has the measured blocks.
import type { IncomingMessage, RequestListener } from 'node:http'

/** Resolves after the event loop has handled everything else that is ready. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

// A process has one event loop, so that its turns are the only state of a module.
let lastTurn: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets: a hundred long pieces of work that
 * become ready together would otherwise keep all other clients waiting for seconds.
 */
export const takeTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(yieldToEventLoop)
  return lastTurn
}

/**
 * Requests handled in one turn of the event loop. If more come together, other work gets a turn in
 * between.
 */
const BATCH_SIZE = 32

/**
 * Reads all requests that come together before it handles the first of them. Reading and handling
 * each need more code than a processor's caches hold: request by request, the caches would have to
 * load both again each time. Without it, an order that is placed costs up to half more of the event
 * loop's time.
 *
 * `isUrgent`: handled immediately, before all that wait, like a supervisor's check that the process
 * is alive.
 */
export const batchRequests = (
  handle: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean = () => false,
): RequestListener => {
  const waiting: Parameters<RequestListener>[] = []

  const handleAll = (): void => {
    const batch = waiting.splice(0, BATCH_SIZE)
    if (waiting.length > 0) setImmediate(handleAll)
    for (const [request, response] of batch) handle(request, response)
  }

  return (request, response) => {
    if (isUrgent(request)) return handle(request, response)
    if (waiting.length === 0) setImmediate(handleAll)
    waiting.push([request, response])
  }
}
