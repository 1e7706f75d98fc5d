// `pnpm bench [part …]`: runs the named benchmarks, or all, each next to its limit or its peers.
import { parseArgs } from 'node:util'
import { consoleReads } from './console.ts'
import { deliveries } from './deliveries.ts'
import { growth } from './growth.ts'
import { orders } from './orders.ts'
import type { Part } from './rounds.ts'
import { openStores, STORES } from './stores.ts'
import { submissions } from './submissions.ts'

const PARTS: Readonly<Record<string, Part>> = {
  submissions,
  orders,
  deliveries,
  growth,
  console: consoleReads,
}

const HELP = `pnpm bench [part …] [--store sqlite|postgres] [--peers] [--rounds 3] [--small]

${Object.entries(PARTS)
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join('\n')}

--store   on one store only
--peers   next to peers, which are installed into node_modules/.cache
--small   a few seconds of each, as a check that it works`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string' },
    peers: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    small: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in PARTS))
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `There is no part ${unknown.join(', ')}.\n\n${HELP}` : HELP)
  process.exit(unknown.length > 0 ? 1 : 0)
}

const say = (line: string): void => console.log(line)
const stores = openStores()
const options = {
  stores,
  on: STORES.filter((store) => values.store === undefined || values.store === store),
  peers: values.peers,
  rounds: Number(values.rounds ?? (values.small ? 1 : 3)),
  size: values.small ? 'small' : 'full',
  say,
} as const
try {
  for (const [part, { about, measure }] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(part)) continue
    say(`${part}: ${about}`)
    // A part that fails must not discard the minutes spent on the others.
    try {
      await measure(options)
    } catch (cause) {
      console.error(`${part} failed:`, cause)
      process.exitCode = 1
    }
  }
} finally {
  await stores.close()
}
