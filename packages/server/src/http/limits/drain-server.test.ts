import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { drainServer } from './drain-server.ts'

const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  const draining = drainServer(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => server.closeAllConnections())
  return { server, draining, port, url: `http://127.0.0.1:${port}/` }
}

it('a server does not wait for connections that have sent nothing, or nothing more', async () => {
  const { server, draining, port, url } = await listen((_, response) => response.end('a'))
  const silent = connect(port, '127.0.0.1')
  await Promise.all([once(silent, 'connect'), once(server, 'connection')])
  expect(await (await fetch(url)).text()).toBe('a')
  await draining.close(0, () => {})
  await once(silent, 'close')
  await expect(fetch(url)).rejects.toThrow()
})

it('a server that listens on for a moment holds requests while it stops listening, and then answers them', async () => {
  let listenerCloses: Promise<void> | null = null
  const { server, draining, url } = await listen(async (_, response) => {
    await listenerCloses
    response.end(String(server.listening))
  })
  expect(await (await fetch(url)).text()).toBe('true')
  const closed = draining.close(1, (until) => {
    listenerCloses = until
  })
  while (listenerCloses === null) await new Promise((resolve) => setImmediate(resolve))
  expect(await (await fetch(url)).text()).toBe('false')
  await closed
})
