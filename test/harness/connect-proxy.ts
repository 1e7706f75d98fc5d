// An HTTP proxy for tests. It connects every name to this machine, because no name of a test exists.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'

/** `status`: what it answers to each CONNECT. Null: nothing. */
export const startConnectProxy = async (status: number | null = 200) => {
  const connects: { readonly authority: string; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer((_, response) => response.writeHead(400).end())
  server.on('connect', (request, socket) => {
    connects.push({ authority: request.url ?? '', headers: request.headers })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    if (status === null) return
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      return
    }
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1])
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    target.on('error', () => socket.destroy())
    target.on('close', () => socket.destroy())
    socket.on('close', () => target.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    host: `127.0.0.1:${port}`,
    /** Every CONNECT, in the order of arrival. */
    connects,
    proxy: { url: `http://127.0.0.1:${port}`, except: [] as readonly string[] },
  }
}
