// `pnpm bench [part …]`: runs the named benchmarks, or all, each next to its limit or its peers.
// `pnpm bench report` prints the stored results.
import { parseArgs } from 'node:util'
import { PARTS } from './parts.ts'
import { report } from './report.ts'
import { storeResult } from './results.ts'
import type { Part } from './rounds.ts'
import { openStores, STORES, type Stores } from './stores.ts'

const HELP = `pnpm bench [part …] [--store sqlite|postgres] [--peers] [--rounds 3] [--orders N] [--small] [--json]
pnpm bench report

${PARTS.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}

--store   on one store only, kept apart from the others
--peers   next to peers, which are installed into node_modules/.cache
--rounds  default: 3; 0 makes what is kept for later runs, as a million orders, and measures nothing
--orders  of the part console; default: 1000000
--small   a few seconds of each, keeping nothing; --json prints the figures`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string' },
    peers: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    orders: { type: 'string' },
    small: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string): void => {
  if (!values.json) process.stdout.write(`${line}\n`)
}

const run = async (part: Part, stores: Stores): Promise<void> => {
  say(`${part.name}: ${part.about}`)
  const rounds = Number(values.rounds ?? (values.small ? 1 : 3))
  const size = values.small ? 'small' : 'full'
  const on = STORES.filter((store) => values.store === undefined || values.store === store)
  const measured = await part.measure({
    stores,
    on,
    peers: values.peers,
    rounds,
    size,
    say,
    ...(values.orders !== undefined && { orders: Number(values.orders) }),
  })
  for (const [fact, number] of Object.entries(measured.facts ?? {})) say(`  ${fact}: ${number}`)
  if (values.json) process.stdout.write(`${JSON.stringify({ part: part.name, ...measured })}\n`)
  const name = values.store === undefined ? part.name : `${part.name}-${values.store}`
  if (!values.small && rounds > 0) storeResult(name, part.name, measured)
}

const runAll = async (parts: readonly Part[]): Promise<void> => {
  if (values.store !== undefined && !STORES.some((store) => store === values.store))
    throw new Error(`--store must be one of ${STORES.join(', ')} (got "${values.store}").`)
  const stores = openStores()
  try {
    // A part that fails must not discard the minutes spent on the others.
    for (const part of parts)
      await run(part, stores).catch((cause: unknown) => {
        process.stderr.write(
          `${part.name} failed: ${cause instanceof Error ? cause.stack : String(cause)}\n`,
        )
        process.exitCode = 1
      })
  } finally {
    await stores.close()
  }
}

const expected = positionals.length === 0 ? PARTS.map(({ name }) => name) : positionals
const unknown = expected.filter((name) => !PARTS.some((part) => part.name === name))
if (expected[0] === 'report') report()
else if (values.help || unknown.length > 0) {
  say(unknown.length > 0 ? `There is no part ${unknown.join(', ')}.\n\n${HELP}` : HELP)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else await runAll(PARTS.filter(({ name }) => expected.includes(name)))
