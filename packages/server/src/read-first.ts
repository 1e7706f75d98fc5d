// Requests that come together are all read before the first of them is handled. Reading and handling are each more code than
// a processor's caches hold: request by request, it would wait for both anew each time.
import type { IncomingMessage, RequestListener } from 'node:http'

/** Handled in one turn of the event loop: where more come together, others get a turn in between. */
const TOGETHER = 32

/** `isUrgent`: handled at once, before all that wait, as a supervisor's question whether the process lives. */
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
