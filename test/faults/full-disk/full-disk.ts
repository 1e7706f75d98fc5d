// `pnpm full-disk`: runs the real server on a real disk of 41 MB that fills up, on SQLite and on
// PostgreSQL. Mounting it needs Linux and root, so the gate uses refused-writes.test.ts
// instead. The exit code is 1 if a promise is broken.
import { execFileSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { queryPostgres, startOwnPostgres } from '../../harness/postgres.ts'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import { basic, DEMO, orderBody, PERSON } from '../../harness/shop.ts'

const HELP = `pnpm full-disk [sqlite|postgres]

Mounts a disk of 41 MB, fills it under the running server, and frees it again; on both stores unless one is named.
Needs Linux, and root for mounting.`

const MIB = 2 ** 20
const SHOPPERS = 8
// The user that runs PostgreSQL here.
const NOBODY = 65_534

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const holds = (promise: string, isKept: boolean): void => {
  say(`${isKept ? 'ok    ' : 'BROKEN'} ${promise}`)
  if (!isKept) process.exitCode = 1
}

const aSmallDisk = () => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=41m', 'tmpfs', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    freeBytes: (): number => {
      const { bavail, bsize } = statfsSync(folder)
      return bavail * bsize
    },
    /** Fills the disk, as another program would. */
    fill: (): void => {
      const file = openSync(filler, 'a')
      try {
        for (;;) writeSync(file, Buffer.alloc(4_096))
      } catch {
        closeSync(file)
      }
    },
    free: (): void => rmSync(filler, { force: true }),
    close: (): void => {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true })
    },
  }
}

type RequestCounts = {
  readonly placed: number
  readonly refused: number
  readonly ready: number
  readonly unready: number
}

/**
 * Shoppers place and submit orders for this many milliseconds, while a load balancer polls the
 * server's readiness.
 */
const load = async (
  { url }: RunningServer,
  millis: number,
  look = () => {},
): Promise<RequestCounts> => {
  const counts = { placed: 0, refused: 0, ready: 0, unready: 0 }
  const headers = {
    authorization: basic(DEMO.username, DEMO.password),
    'content-type': 'application/json',
  }
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const until = performance.now() + millis
  const shopper = async (): Promise<void> => {
    while (performance.now() < until) {
      const answer = await post('/orders', orderBody({}, url))
      if (answer.status !== 204) {
        counts.refused += 1
        await new Promise((resolve) => setTimeout(resolve, 50))
        continue
      }
      counts.placed += 1
      await post(
        `/api/v1/checkout/${answer.headers.get('location')?.split('/').at(-1)}/identification`,
        PERSON,
      )
    }
  }
  const balancer = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status } = await fetch(`${url}/readyz`)
      counts[status === 200 ? 'ready' : 'unready'] += 1
      look()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await Promise.all([balancer(), ...Array.from({ length: SHOPPERS }, shopper)])
  return counts
}

const outagesIn = (server: RunningServer): string =>
  [...server.output().matchAll(/"event":"((?:un)?available)"/g)].map(([, event]) => event).join(' ')

/** The promises of both stores while another program fills the disk, and after it frees it. */
const whileFull = async (
  server: RunningServer,
  { fill, free }: ReturnType<typeof aSmallDisk>,
): Promise<void> => {
  fill()
  await load(server, 1_000)
  const full = await load(server, 8_000)
  holds(
    `a full disk refuses orders (${full.refused}), and /readyz is 503 (${full.unready})`,
    full.ready === 0 && full.refused > 0,
  )
  holds('an outage has one line so far', outagesIn(server) === 'unavailable')
  free()
  await load(server, 4_000)
  const freed = await load(server, 2_000)
  holds(
    `with room again, orders are placed (${freed.placed}), and /readyz is 200`,
    freed.unready === 0 && freed.placed > 0,
  )
  holds('an outage has two lines', outagesIn(server) === 'unavailable available')
}

const onSqlite = async (): Promise<void> => {
  const disk = aSmallDisk()
  const path = join(disk.folder, 'plazo.db')
  const env = { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'info' }
  let server = await startServer({ env })
  try {
    let largest = 0
    const { placed } = await load(server, 5_000, () => {
      largest = Math.max(largest, statSync(`${path}-wal`).size)
    })
    holds(
      `the log stays small: ${(largest / MIB).toFixed(1)} MiB over ${placed} orders`,
      largest < 12 * MIB,
    )
    await whileFull(server, disk)
    disk.fill()
    await load(server, 2_000)
    await server.kill()
    disk.fill()
    server = await startServer({ env })
    const { refused } = await load(server, 2_000)
    holds(
      `a server starts with ${disk.freeBytes()} bytes free, and refuses orders (${refused})`,
      refused > 0,
    )
    disk.free()
    await load(server, 2_000)
    const again = await load(server, 2_000)
    holds(
      `it continues by itself with room (${again.placed})`,
      again.placed > 0 && again.unready === 0,
    )
    while ((await load(server, 4_000)).refused === 0)
      say(`       ${(disk.freeBytes() / MIB).toFixed(1)} MiB are left`)
    const last = await load(server, 4_000)
    holds(
      `the database itself fills the disk: ${(statSync(path).size / MIB).toFixed(1)} MiB of 41`,
      statSync(path).size > 36 * MIB,
    )
    holds(`and then /readyz is 503 (${last.unready})`, last.placed > 0 || last.ready === 0)
  } finally {
    await server.kill()
    disk.close()
  }
}

const onPostgres = async (): Promise<void> => {
  const disk = aSmallDisk()
  const postgres = await startOwnPostgres()
  let server: RunningServer | null = null
  try {
    const tables = join(disk.folder, 'tables')
    mkdirSync(tables)
    for (const folder of [disk.folder, tables]) chownSync(folder, NOBODY, NOBODY)
    await queryPostgres(postgres.url, `create tablespace small location '${tables}'`)
    await queryPostgres(postgres.url, 'create database small tablespace small')
    const url = new URL(postgres.url)
    url.pathname = '/small'
    server = await startServer({
      env: { DATABASE_URL: url.href, SECRET_KEY: newKeyEntry(), LOG_LEVEL: 'info' },
    })
    const { placed } = await load(server, 2_000)
    holds(`orders are placed (${placed})`, placed > 0)
    await whileFull(server, disk)
  } finally {
    await server?.kill()
    await postgres.close()
    disk.close()
  }
}

const [only] = process.argv.slice(2)
if (only === undefined || only === 'sqlite' || only === 'postgres') {
  if (only !== 'postgres') await onSqlite()
  if (only !== 'sqlite') await onPostgres()
} else {
  say(HELP)
  process.exitCode = only === '--help' ? 0 : 1
}
