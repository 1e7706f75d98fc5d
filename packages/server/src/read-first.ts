// Requests that come together are all read before the first of them is handled. Reading and handling are each more code than
// a processor's caches hold: request by request, it would wait for both anew each time.
import type { RequestListener } from 'node:http'

export const readFirst = (handle: RequestListener): RequestListener => {
  let read: Parameters<RequestListener>[] = []

  const handleAll = (): void => {
    const all = read
    read = []
    for (const [request, response] of all) handle(request, response)
  }

  return (request, response) => {
    if (read.length === 0) setImmediate(handleAll)
    read.push([request, response])
  }
}
