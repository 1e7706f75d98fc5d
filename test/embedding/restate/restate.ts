// `pnpm restate`: three Restate nodes and three processes of the host of docs/hosts/restate.md. One
// node and two handlers are killed under load; every order must finish, with nothing lost and
// nothing done twice. The host of docs/hosts/node-http.md on a SQLite file does the same for
// comparison. The exit code is 1 if a check fails.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DEFAULT_RULES, wireNames } from '@plazo/core'
import { reconcile } from '../../harness/ledger/reconcile.ts'
import { freePort } from '../../harness/ports-and-folders.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { startRestateServers } from '../../harness/restate.ts'
import { waitUntil } from '../../harness/time.ts'
import { HOST_ROUTES } from '../walk.ts'
import { type OrderValue, snapshotOf } from './order-values.ts'
import { PROGRAMS, RESTATE_ROUTES, startFront, startHost } from './restate-host.ts'
import { buy, type Purchase, type Shop } from './shoppers.ts'

const HELP = `pnpm restate [--orders 50] [--shoppers 8]

  --orders    how many orders are placed in each of three runs: calm, with kills, and on one process for comparison
  --shoppers  how many orders are under way at a time
`

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '50' },
    shoppers: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
})
const [orders, shoppers] = [Number(values.orders), Number(values.shoppers)]
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const QUERY =
  "select service_key, value_utf8 from state where service_name = 'order' and key = 'value'"

const TICKS = 100
/** The processor time of the processes so far, in seconds. */
const cpuOf = (pids: readonly number[]): number =>
  pids
    .map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [])
    .reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) / TICKS, 0)

let placed = 0
/** Buys `orders` times. `kills`: what happens once each of as many equal parts has finished. */
const buyAll = async (
  shop: Shop,
  kills: readonly (() => Promise<unknown>)[] = [],
  count = orders,
) => {
  const purchases: Purchase[] = []
  const killed: number[] = []
  let started = 0
  const shopper = async (): Promise<void> => {
    while (started < count) {
      started += 1
      placed += 1
      purchases.push(await buy(shop, placed))
      const kill = kills[killed.length]
      if (kill === undefined) continue
      if (purchases.length < ((killed.length + 1) * count) / (kills.length + 1)) continue
      killed.push(Date.now())
      await kill()
    }
  }
  const startedAt = Date.now()
  await Promise.all(Array.from({ length: shoppers }, shopper))
  /** Per kill, how long each order under way stood still around it, in milliseconds. */
  const standstills = killed.map((at) =>
    purchases
      .flatMap(({ progress }) =>
        progress.slice(1).flatMap((to, index) => {
          const from = progress[index] ?? to
          return from <= at && at <= to ? [to - from] : []
        }),
      )
      .toSorted((a, b) => a - b),
  )
  return { purchases, standstills, seconds: (Date.now() - startedAt) / 1_000 }
}

const gapsOf = (purchases: readonly Purchase[]): readonly number[] =>
  purchases.flatMap(({ progress }) =>
    progress.slice(1).map((to, index) => to - (progress[index] ?? to)),
  )
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Without kills. Prints what an order costs. */
const measure = async (name: string, shop: Shop, pids: readonly number[]) => {
  const before = cpuOf(pids)
  const { purchases, seconds } = await buyAll(shop)
  const cpu = ((cpuOf(pids) - before) / orders) * 1_000
  say(
    `${name}: ${(orders / seconds).toFixed(1)} orders/s, ${cpu.toFixed(0)} ms of processor time for an order, a step in ${median(gapsOf(purchases))} ms`,
  )
  return { purchases, cpu }
}

const sayStandstills = (names: readonly string[], standstills: readonly (readonly number[])[]) => {
  for (const [index, name] of names.entries()) {
    const all = standstills[index] ?? []
    say(
      `${name} killed: ${all.length} orders under way stood still for ${median(all)} ms in the median, ${Math.max(...all)} ms at most`,
    )
  }
}

const measureOneProcess = async (folder: string) => {
  const [port, merchant] = [await freePort(), await startReceiver()]
  const env = { PORT: String(port), DATABASE: join(folder, 'orders.db') }
  const start = () => startHost(PROGRAMS.oneProcess, env)
  const processes = [start()]
  const shop: Shop = {
    urls: [`http://127.0.0.1:${port}`],
    routes: HOST_ROUTES,
    printed: () => processes.map(({ printed }) => printed()).join(''),
    merchantUrl: merchant.url,
  }
  const name = 'one process on SQLite'
  await buyAll(shop, [], shoppers) // until it is compiled
  const { cpu } = await measure(name, shop, [processes[0]?.pid() ?? 0])
  const restart = async () => {
    await processes.at(-1)?.kill()
    processes.push(start())
  }
  const { standstills } = await buyAll(shop, [restart])
  sayStandstills([`${name}, restarted at once,`], standstills)
  await processes.at(-1)?.kill()
  await merchant.close()
  return cpu
}

const measureRestate = async (folder: string) => {
  const merchant = await startReceiver()
  const cluster = await startRestateServers(folder, 3)
  const [node, ...others] = cluster.nodes
  const survivor = others[0] ?? node
  const front = await startFront(() => survivor.url)
  const port = await freePort()
  const start = () => startHost(PROGRAMS.restate, { PORT: String(port), FRONT: front.url })
  const running = [start(), start(), start()]
  const processes = [...running]
  const shop: Shop = {
    urls: cluster.nodes.map(({ url }) => url),
    routes: RESTATE_ROUTES,
    printed: () => processes.map(({ printed }) => printed()).join(''),
    merchantUrl: merchant.url,
  }
  const pids = () => [...cluster.nodes, ...running].map(({ pid }) => pid())
  const killHandlers = async () => {
    await running.shift()?.kill()
    const next = start()
    running.push(next)
    processes.push(next)
  }
  const purchases: Purchase[] = []
  try {
    await cluster.register(`http://127.0.0.1:${port}`)
    purchases.push(...(await buyAll(shop, [], shoppers)).purchases) // until it is compiled
    const calm = await measure('three Restate nodes, three processes', shop, pids())
    purchases.push(...calm.purchases)
    const kills = [killHandlers, node.kill, killHandlers]
    const disturbed = await buyAll(shop, kills)
    purchases.push(...disturbed.purchases)
    sayStandstills(
      ['a process of handlers', 'a node', 'a process of handlers'],
      disturbed.standstills,
    )

    type Row = { readonly service_key: string; readonly value_utf8: string }
    const readRows = async (): Promise<readonly Row[]> => {
      const response = await fetch(`${survivor.adminUrl}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query: QUERY }),
      })
      return ((await response.json()) as { readonly rows: readonly Row[] }).rows
    }
    // What follows the shopper's last answer, such as the risk, still runs.
    let rows = await readRows()
    await waitUntil(async () => {
      rows = await readRows()
      return rows.every(({ value_utf8 }) => JSON.parse(value_utf8).jobs.length === 0)
    })
    const payloads = new Map(purchases.map(({ orderRef, payload }) => [orderRef, payload]))
    const stored = rows.map(
      (row): OrderValue => ({
        orderRef: row.service_key,
        value: JSON.parse(row.value_utf8),
        payload: payloads.get(row.service_key) ?? '{}',
      }),
    )
    const at =
      (place: string) =>
      (...path: readonly string[]) =>
        `${front.url}/${place}/${path.join('/')}`
    const links = { wait: at('wait'), pay: at('pay'), payWithCard: at('pay'), verify: at('verify') }
    const terms = {
      rules: DEFAULT_RULES,
      links: { ...links, cancellationRequest: at('orders') },
      names: wireNames('Acme', 'acme_state'),
    }
    const account = reconcile(
      await snapshotOf(stored, terms, shop.printed()),
      merchant.received,
      terms,
    )
    // A value drops a delivery that was made.
    const faults = account.faults.filter((fault) => !fault.endsWith('is not in the outbox.'))
    if (account.orders.length !== purchases.length)
      faults.push(
        `${account.orders.length} orders are stored, and ${purchases.length} were placed.`,
      )
    say(
      `${account.orders.length} orders: ${JSON.stringify(account.ends)}; ${account.requests.keys} webhooks, ${account.requests.repeated} of them received twice`,
    )
    return { faults, cpu: calm.cpu }
  } finally {
    await Promise.all(running.map(({ kill }) => kill()))
    await cluster.stop()
    front.close()
    await merchant.close()
  }
}

const start = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-restate-'))
  try {
    const oneProcess = await measureOneProcess(folder)
    const restate = await measureRestate(folder)
    say(
      `An order on Restate costs ${(restate.cpu / oneProcess).toFixed(1)} times the processor time.`,
    )
    for (const fault of restate.faults) say(fault)
    if (restate.faults.length > 0) process.exitCode = 1
    else say('Every order finished. Nothing was lost, and nothing done twice.')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (values.help) say(HELP)
else await start()
