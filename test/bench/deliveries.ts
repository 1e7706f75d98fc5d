// `pnpm bench:deliveries`: durable deliveries a second, draining pending events to a local sink, beside bare clients that
// post the same bodies without a store; all in one run on the same machine.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as nodeRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addressGuard, merchantGateway, sign, signStandardWebhook } from '@plazo/adapters/http'
import { memorySandboxShelf } from '@plazo/adapters/memory'
import { sandboxDeciders } from '@plazo/adapters/sandbox'
import { openSqlite, type SqliteHome } from '@plazo/adapters/sqlite'
import { systemClock } from '@plazo/adapters/system'
import { carryOut, type Host, settleEntry, wireNames } from '@plazo/core'
import { startDispatcher } from '@plazo/server'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Pool } from 'undici'
import { DEMO } from '../support/shop.ts'
import { fill, hostOn, MERCHANTS } from './fill.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    events: { type: 'string', default: '20000' },
    inflight: { type: 'string', default: '64' },
    // By a process that has just started, and knows no order's data key yet.
    restarted: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const ROUNDS = Number(values.rounds)
const EVENTS = Number(values.events)
const IN_FLIGHT = Number(values.inflight)

const FILL = fileURLToPath(new URL('./fill.ts', import.meta.url))

const names = wireNames('Service', 'sq_state')

const say = (text: string): void => {
  if (!values.json) process.stdout.write(`${text}\n`)
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const startSink = (): Promise<{ readonly port: number; readonly child: ChildProcess }> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL('./sink.ts', import.meta.url))
    const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.once('exit', (code) => reject(new Error(`The sink ended with ${code}.`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      const [, port] = /listening on (\d+)/.exec(chunk.toString()) ?? []
      if (port !== undefined) resolve({ port: Number(port), child })
    })
  })

type Sent = { readonly perSecond: number; readonly peakMegabytes: number }

/** Runs until `EVENTS` have been sent, looking at the memory on the way. */
const timed = async (run: () => Promise<void>): Promise<Sent> => {
  let peak = process.memoryUsage().rss
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 50)
  const startedAt = performance.now()
  await run()
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(watch)
  return { perSecond: EVENTS / seconds, peakMegabytes: peak / 2 ** 20 }
}

const drain = (home: SqliteHome, host: Host): Promise<Sent> => {
  const gateway = merchantGateway({
    names,
    secretsOf: () => TE.right([DEMO.secret]),
    realNow: () => Date.now(),
    guard: addressGuard({ mode: 'sandbox', allow: [] }),
  })
  return timed(
    () =>
      new Promise((resolve) => {
        let done = 0
        const dispatcher = startDispatcher({
          store: home.store,
          clock: systemClock,
          carryOut: carryOut({ deciders: sandboxDeciders(memorySandboxShelf()), gateway, clock: systemClock }, 0),
          settle: settleEntry(host),
          // Deliveries alone: the codes' SMS stay where they are.
          limits: { deliveries: IN_FLIGHT, work: 0, perMerchant: 4 },
          onSettled: () => {
            done += 1
            if (done === EVENTS)
              void dispatcher.stop(0).then(() => {
                gateway.close()
                resolve()
              })
          },
          onTrouble: (message) => say(message),
        })
      }),
  )
}

const BODY = JSON.stringify({
  event: 'identification_action',
  action: 'require_validate_otp',
  order_ref: 'x'.repeat(36),
  order_ref_1: '',
  order_ref_2: '',
})

const signedHeaders = (id: string): Record<string, string> => {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(BODY.length),
    Accept: 'application/json',
    'User-Agent': names.userAgent,
    [names.signatureHeader]: sign(DEMO.secret, BODY),
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': signStandardWebhook([DEMO.secret], { id, timestamp, body: BODY }),
  }
}

const atOnce = async (send: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < EVENTS) await send(next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

const byNodeHttp = (port: number): Promise<Sent> => {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const send = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = nodeRequest(
        { port, host: '127.0.0.1', path: '/events', method: 'POST', agent, headers: signedHeaders(`id${index}`) },
        (response) => {
          response.resume()
          response.once('end', resolve)
        },
      )
      request.once('error', reject)
      request.end(BODY)
    })
  return timed(() => atOnce(send)).finally(() => agent.destroy())
}

const byUndici = (port: number): Promise<Sent> => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: IN_FLIGHT })
  const send = async (index: number): Promise<void> => {
    const { body } = await pool.request({
      path: '/events',
      method: 'POST',
      headers: signedHeaders(`id${index}`),
      body: BODY,
    })
    await body.dump()
  }
  return timed(() => atOnce(send)).finally(() => pool.close())
}

const folder = mkdtempSync(join(tmpdir(), 'plazo-bench-'))
const sink = await startSink()
try {
  say(
    `plazo deliveries: ${ROUNDS} rounds of ${EVENTS} pending events, ${IN_FLIGHT} in flight, ${MERCHANTS} merchants\n`,
  )
  const rounds: { readonly plazo: Sent; readonly http: Sent; readonly undici: Sent }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const path = join(folder, `${round}.db`)
    const url = `http://127.0.0.1:${sink.port}/events`
    if (values.restarted) execFileSync(process.execPath, [FILL, path, url, String(EVENTS)])
    const home = openSqlite(path)
    const host = hostOn(home)
    if (!values.restarted) await fill(host, url, EVENTS)
    const plazo = await drain(home, host)
    await home.close()
    const http = await byNodeHttp(sink.port)
    const undici = await byUndici(sink.port)
    rounds.push({ plazo, http, undici })
    say(
      `  round ${round}  plazo ${plazo.perSecond.toFixed(0).padStart(6)}/s (${plazo.peakMegabytes.toFixed(0)} MB)   node:http ${http.perSecond.toFixed(0).padStart(6)}/s   undici ${undici.perSecond.toFixed(0).padStart(6)}/s   ratio ${(plazo.perSecond / http.perSecond).toFixed(2)}`,
    )
  }
  const figures = {
    deliveriesPerSecond: Math.round(median(rounds.map(({ plazo }) => plazo.perSecond))),
    nodeHttpPerSecond: Math.round(median(rounds.map(({ http }) => http.perSecond))),
    undiciPerSecond: Math.round(median(rounds.map(({ undici }) => undici.perSecond))),
    ratio: Number(median(rounds.map(({ plazo, http }) => plazo.perSecond / http.perSecond)).toFixed(2)),
    peakMegabytes: Math.round(Math.max(...rounds.map(({ plazo }) => plazo.peakMegabytes))),
  }
  say(`
  durable deliveries  ${figures.deliveriesPerSecond}/s, ${figures.peakMegabytes} MB at the peak
  node:http, no store ${figures.nodeHttpPerSecond}/s
  undici, no store    ${figures.undiciPerSecond}/s
  ratio to node:http  ${figures.ratio} (wanted: 0.5 or better)`)
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  sink.child.removeAllListeners('exit')
  sink.child.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
