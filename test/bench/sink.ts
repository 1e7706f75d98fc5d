// A merchant that takes everything at once: what deliveries are measured against. Answers from raw bytes, so that the
// receiver costs little beside the sender.
import { type AddressInfo, createServer } from 'node:net'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

const server = createServer((socket) => {
  let heard = ''
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: string) => {
    heard += chunk
    for (;;) {
      const head = heard.indexOf('\r\n\r\n')
      if (head < 0) return
      const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(heard.slice(0, head)) ?? []
      const end = head + 4 + Number(length)
      if (heard.length < end) return
      heard = heard.slice(end)
      socket.write(ANSWER)
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
