// Reads all requests that come together before it handles the first of them. Reading and handling each need more code than a
// processor's caches hold: request by request, the caches would have to load both again each time.
import type { IncomingMessage, RequestListener } from 'node:http'

/** Requests handled in one turn of the event loop. If more come together, other work gets a turn in between. */
const TOGETHER = 32

/** `isUrgent`: handled immediately, before all that wait, like a supervisor's check that the process is alive. */
export const readFirst = (
  handle: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean = () => false,
): RequestListener => {
  let read: Parameters<RequestListener>[] = []

  const handleAll = (): void => {
    const some = read.slice(0, TOGETHER)
    read = read.slice(TOGETHER)
    if (read.length > 0) setImmediate(handleAll)
    for (const [request, response] of some) handle(request, response)
  }

  return (request, response) => {
    if (isUrgent(request)) return handle(request, response)
    if (read.length === 0) setImmediate(handleAll)
    read.push([request, response])
  }
}
