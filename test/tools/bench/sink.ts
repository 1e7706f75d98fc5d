// A merchant that accepts everything at once, as the target of measured deliveries. It answers from
// raw bytes, so that it costs little next to the sender. A GET returns the number of posts to its
// path.
import { type AddressInfo, createServer } from 'node:net'
import { endOfMessage } from '../../harness/raw-http.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const CANCELLED = 'HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{"result":"cancelled"}'

const counts = new Map<string, number>()

const answerTo = (request: string): string => {
  const [method, path = ''] = request.slice(0, request.indexOf('\r\n')).split(' ')
  if (method !== 'GET') {
    counts.set(path, (counts.get(path) ?? 0) + 1)
    return /event=cancel\b/.test(request) ? CANCELLED : ANSWER
  }
  const count = String(counts.get(path) ?? 0)
  return `HTTP/1.1 200 OK\r\nContent-Length: ${count.length}\r\n\r\n${count}`
}

const server = createServer((socket) => {
  let received = ''
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: string) => {
    received += chunk
    for (let end = endOfMessage(received); end >= 0; end = endOfMessage(received)) {
      socket.write(answerTo(received), 'latin1')
      received = received.slice(end)
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
