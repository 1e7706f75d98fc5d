// Reads all requests that come together before it handles the first of them. Reading and handling each need more code than a
// processor's caches hold: request by request, the caches would have to load both again each time.
import type { IncomingMessage, RequestListener } from 'node:http'

/** Requests handled in one turn of the event loop. If more come together, other work gets a turn in between. */
const BATCH_SIZE = 32

/** `isUrgent`: handled immediately, before all that wait, like a supervisor's check that the process is alive. */
export const batchRequests = (
  handle: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean = () => false,
): RequestListener => {
  let waiting: Parameters<RequestListener>[] = []

  const handleAll = (): void => {
    const some = waiting.slice(0, BATCH_SIZE)
    waiting = waiting.slice(BATCH_SIZE)
    if (waiting.length > 0) setImmediate(handleAll)
    for (const [request, response] of some) handle(request, response)
  }

  return (request, response) => {
    if (isUrgent(request)) return handle(request, response)
    if (waiting.length === 0) setImmediate(handleAll)
    waiting.push([request, response])
  }
}
