// Finds a free port of the loopback interface. The port is below the range for outgoing connections, so nobody else takes it
// before the server starts or while it is down.
import { createServer } from 'node:net'

const FIRST = 20_000
const COUNT = 10_000

const input = new Set<number>()

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** Never returns the same port twice. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (input.has(port)) continue
    input.add(port)
    if (await isFree(port)) return port
  }
}
