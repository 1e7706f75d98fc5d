import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { waitUntil } from '../../../../../test/harness/time.ts'
import { serveConnections } from './connections.ts'

const REQUESTS = 8
// Milliseconds: longer than a test.
const LISTENS_ON = 10_000
// More than the operating system's buffers of a connection on loopback hold.
const LARGE = Buffer.alloc(24 * 1024 * 1024, 'a')

let server: Server
let connections: ReturnType<typeof serveConnections>
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const listen = async (listener: RequestListener): Promise<Socket> => {
  server = createServer()
  connections = serveConnections(server, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return connectSocket()
}

const connectSocket = (): Socket => {
  // Its client may go on sending when the server has ended its side.
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

const heardBy = (socket: Socket): (() => string) => {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  return () => text
}

describe('requests of one connection', () => {
  it('do not start while the previous answer is not read', async () => {
    const begun: string[] = []
    const socket = await listen(({ url }, response) => {
      begun.push(url ?? '')
      response.end(LARGE)
    })
    socket.pause()
    socket.write(GET('/1') + GET('/2') + GET('/3'))
    await waitUntil(() => begun.length > 0)
    // Other connections are answered meanwhile, so that the first has had time to go on.
    for (let n = 0; n < 3; n++) {
      const other = connectSocket()
      other.write(GET('/other'))
      await once(other, 'data')
      other.destroy()
    }
    expect(begun.filter((url) => url !== '/other')).toEqual(['/1'])
    socket.resume()
    await waitUntil(() => begun.includes('/3'))
  })

  it('do not all start if their client has gone away', async () => {
    const begun: string[] = []
    const answers: (() => void)[] = []
    let isClosed = false
    const socket = await listen(({ url, socket: overrides }, response) => {
      begun.push(url ?? '')
      overrides.once('close', () => {
        isClosed = true
      })
      answers.push(() => void response.end())
    })
    socket.write(Array.from({ length: REQUESTS }, (_, n) => GET(`/${n}`)).join(''))
    await waitUntil(() => begun.length > 0)
    socket.destroy()
    await waitUntil(() => {
      answers.shift()?.()
      return isClosed
    })
    expect(begun.length).toBeLessThan(REQUESTS)
  })
})

describe('connections that are to end', () => {
  const answersOf = (text: string): readonly string[] =>
    text.match(/^(?:HTTP.*|Connection: .*|\/\d)$/gm) ?? []

  it('begin no request that was sent ahead, because its client could not learn whether it was done', async () => {
    const begun: string[] = []
    const socket = await listen(({ url }, response) => {
      begun.push(url ?? '')
      setTimeout(() => response.end(url), 20)
    })
    const text = heardBy(socket)
    void connections.drain(LISTENS_ON, () => {})
    socket.write(GET('/1') + GET('/2'))
    await waitUntil(() => begun.length > 0)
    socket.write(GET('/3'))
    await once(socket, 'end')
    socket.write(GET('/4'))
    const other = connectSocket()
    other.write(GET('/other'))
    await once(other, 'data')
    expect(begun).toEqual(['/1', '/other'])
    expect(answersOf(text())).toEqual(['HTTP/1.1 200 OK', 'Connection: close', '/1'])
  })
})
