// Free ports of the loopback interface, and temporary folders, for the servers and files of one
// test.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FIRST = 20_000
const COUNT = 10_000

const used = new Set<number>()

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
    if (used.has(port)) continue
    used.add(port)
    if (await isFree(port)) return port
  }
}

export const temporaryPath = (
  file: string,
): { readonly path: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-'))
  return { path: join(folder, file), remove: () => rmSync(folder, { recursive: true }) }
}
