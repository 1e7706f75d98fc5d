// `pnpm bench`: how fast plazo is beside its limit, both measured in the same minutes on the same machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { newKeyring, seal, sealer } from '@plazo/adapters/sealing'
import { openDatabase } from '@plazo/adapters/sqlite'
import type { Work } from '@plazo/core'
import { startServer } from '../support/running-server.ts'
import { basic, DEMO, orderBody, PERSON } from '../support/shop.ts'
import { coreFigures } from './core.ts'
import { type Load, request, run } from './load.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    orders: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
  },
})
const ROUNDS = Number(values.rounds)
const ORDERS = Number(values.orders)
const CONNECTIONS = Number(values.connections)

const say = (text: string): void => {
  if (!values.json) process.stdout.write(`${text}\n`)
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const submission = (uuid: string): Buffer =>
  request('POST', `/api/v1/checkout/${uuid}/identification`, JSON.stringify(PERSON))

const allAnswered = (load: Load, status: number): Load => {
  if (load.statuses.size !== 1 || !load.statuses.has(status))
    throw new Error(`Not all answered ${status}: ${JSON.stringify([...load.statuses])}`)
  return load
}

const place = async (port: number): Promise<readonly string[]> => {
  const order = request('POST', '/orders', JSON.stringify(orderBody()), {
    Authorization: basic(DEMO.username, DEMO.password),
  })
  const placed = allAnswered(await run(port, Array<Buffer>(ORDERS).fill(order), CONNECTIONS), 204)
  return placed.answers.map((answer) => /\r\nlocation: \S*\/orders\/(\S+)/i.exec(answer)?.[1] ?? '')
}

type Bytes = { readonly order: number; readonly journal: number; readonly effect: number; readonly effects: number }

/** What a first submission writes, read off the rows themselves. */
const bytesWritten = (path: string): Bytes & { readonly stored: number } => {
  const db = openDatabase(path)
  const one = (sql: string): number => Number(db.prepare(sql).pluck().get())
  const bytes = {
    order: one('select round(avg(length(snapshot))) from orders where revision = 2'),
    journal: one('select round(avg(length(input))) from journal where seq = 2'),
    effect: one(`select round(avg(length(work))) from outbox where lane = 'sms'`),
    effects: 1,
    stored: one(
      'select round(avg(length(placed) + length(snapshot) + length(order_ref) + length(merchant_ref))) from orders join placements on order_id = id where revision = 2',
    ),
  }
  db.close()
  return bytes
}

const sealedLength = (work: Work): number =>
  seal(sealer(newKeyring()).makeKey('').dataKey, 'work 2:sms', JSON.stringify(work)).length

const startBare = (path: string, bytes: Bytes): Promise<{ readonly port: number; readonly child: ChildProcess }> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
    const sizes = [bytes.order, bytes.journal, bytes.effect, bytes.effects].map(String)
    const child = spawn(process.execPath, ['--max-semi-space-size=64', main, path, ...sizes], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.once('exit', (code) => reject(new Error(`The bare server ended with ${code}.`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      const [, port] = /listening on (\d+)/.exec(chunk.toString()) ?? []
      if (port !== undefined) resolve({ port: Number(port), child })
    })
  })

const folder = mkdtempSync(join(tmpdir(), 'plazo-bench-'))
const path = join(folder, 'plazo.db')
const server = await startServer({ env: { DATABASE_URL: `sqlite:${path}` } })
let bare: ChildProcess | null = null
try {
  const plazoPort = Number(new URL(server.url).port)
  const drain = (): Promise<unknown> =>
    fetch(`${server.url}/sandbox/clock/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"seconds":0}',
    }).then((response) => response.text())

  say(`plazo benchmark: ${ROUNDS} rounds of ${ORDERS} first submissions at ${CONNECTIONS} connections, interleaved\n`)
  const warm = await place(plazoPort)
  const sampling = run(plazoPort, warm.slice(0, 400).map(submission), CONNECTIONS)
  // The SMS rows are gone once they are sent: their size is what the code and the text make it.
  await sampling
  const bytes = {
    ...bytesWritten(path),
    effect: sealedLength({ kind: 'sms', to: PERSON.mobile_phone, text: 'Your code is 12345.', code: '12345' }),
  }
  await drain()
  const started = await startBare(join(folder, 'bare.db'), bytes)
  bare = started.child

  const rounds: { readonly plazo: Load; readonly limit: Load }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const uuids = await place(plazoPort)
    await drain()
    const plazo = allAnswered(await run(plazoPort, uuids.map(submission), CONNECTIONS), 200)
    await drain()
    const others = uuids.map(() => randomUUID())
    await run(started.port, [request('POST', '/place', JSON.stringify(others))], 1)
    const limit = allAnswered(await run(started.port, others.map(submission), CONNECTIONS), 200)
    rounds.push({ plazo, limit })
    say(
      `  round ${round}  plazo ${plazo.perSecond.toFixed(0).padStart(6)}/s  p99 ${plazo.p99.toFixed(1)} ms   limit ${limit.perSecond.toFixed(0).padStart(6)}/s  p99 ${limit.p99.toFixed(1)} ms   ratio ${(plazo.perSecond / limit.perSecond).toFixed(2)}`,
    )
  }
  const core = coreFigures()
  const figures = {
    submissionsPerSecond: Math.round(median(rounds.map(({ plazo }) => plazo.perSecond))),
    limitPerSecond: Math.round(median(rounds.map(({ limit }) => limit.perSecond))),
    ratio: Number(median(rounds.map(({ plazo, limit }) => plazo.perSecond / limit.perSecond)).toFixed(2)),
    p99: Number(median(rounds.map(({ plazo }) => plazo.p99)).toFixed(1)),
    limitP99: Number(median(rounds.map(({ limit }) => limit.p99)).toFixed(1)),
    coreStepsPerSecond: core.stepsPerSecond,
    storedOrderBytes: bytes.stored,
  }
  say(`
  durable submissions   ${figures.submissionsPerSecond}/s (p99 ${figures.p99} ms)
  bare group commit     ${figures.limitPerSecond}/s (p99 ${figures.limitP99} ms), rows of the same number and bytes
  ratio                 ${figures.ratio} (wanted: 0.45 or better)
  pure core             ${figures.coreStepsPerSecond} steps/s
  a stored order        ${figures.storedOrderBytes} bytes after its first submission`)
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  bare?.removeAllListeners('exit')
  bare?.kill('SIGTERM')
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
