import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { crowd, type Journey } from './shoppers.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'
const GET = 'GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n'
const POST = 'POST /orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'

const atOnce = () => Promise.resolve()

describe('a crowd of shoppers', () => {
  let server: Server
  let sockets: Socket[] = []
  const serverThat = async (hears: (socket: Socket, heard: string) => void): Promise<number> => {
    server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => socket.destroy())
      socket.on('data', (chunk: Buffer) => hears(socket, chunk.toString()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets = []
    server.close()
    await once(server, 'close')
  })

  it('continues over another connection if the server closed an idle one', async () => {
    const port = await serverThat((socket) => socket.end(ANSWER))
    const journey: Journey = async (ask, pause) => {
      await ask(POST)
      await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
      await pause(1)
      expect(await ask(GET)).toMatchObject({ status: 200, body: '{}' })
    }
    const { seen } = await crowd({ ports: [port], journey, connections: 1, openMax: 1 }, 0, async () => 'seen')
    expect(seen).toBe('seen')
    expect(sockets.length).toBeGreaterThan(1)
  })

  it('counts writes separately from polls', async () => {
    const port = await serverThat((socket) => socket.write(ANSWER))
    let ended = (): void => {}
    const anOrder = new Promise<void>((resolve) => {
      ended = resolve
    })
    const journey: Journey = async (ask) => {
      await ask(GET)
      await ask(GET)
      ended()
    }
    const watched = await crowd({ ports: [port], journey, connections: 2, openMax: 2 }, 0, () => anOrder)
    expect(watched.written).toBe(0)
  })

  it('starts a new shopper for each that has finished', async () => {
    const port = await serverThat((socket) => socket.write(ANSWER))
    const taken: string[] = []
    let ended = 0
    let enough = (): void => {}
    const many = new Promise<void>((resolve) => {
      enough = resolve
    })
    const journey: Journey = async (ask, pause) => {
      for (const part of ['new', 'back', 'back again']) {
        if (part !== 'new') await pause(5)
        taken.push(part)
        await ask(POST)
      }
      ended += 1
      if (ended === 50) enough()
    }
    const { seen } = await crowd({ ports: [port], journey, connections: 1, openMax: 1000 }, 0, async () => {
      await many
      return [...taken]
    })
    expect(new Set(seen.filter((_, n) => seen[n - 1] === 'back again'))).toEqual(new Set(['new']))
  })

  it('names the unanswered requests if orders do not finish in time', async () => {
    const port = await serverThat(() => {})
    const journey: Journey = async (ask) => {
      await ask(POST)
    }
    await expect(crowd({ ports: [port], journey, connections: 2, openMax: 2, within: 100 }, 0, atOnce)).rejects.toThrow(
      '0 have, 2 are open, 2 requests have no answer, as POST /orders HTTP/1.1; POST /orders HTTP/1.1',
    )
  })

  it('fails if a connection is lost before its answer', async () => {
    const port = await serverThat((socket) => socket.destroy())
    const journey: Journey = async (ask) => {
      await ask(POST)
    }
    await expect(crowd({ ports: [port], journey, connections: 1, openMax: 1 }, 0, atOnce)).rejects.toThrow(
      'closed before its answer',
    )
  })
})
