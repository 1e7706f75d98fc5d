// `pnpm unread`: opens many connections that send many requests and read no answer, for every route
// that merchants or the public may call. Meanwhile it polls /healthz and measures the process's
// memory. docs/performance/event-loop.md has the limits.
import { parseArgs } from 'node:util'
import { startMeasured } from './measured-server.ts'
import { requestsTo } from './requests.ts'
import { unread } from './unread-connections.ts'

const HELP = `pnpm unread [--seconds 60] [--connections 100] [--requests 60] [--route text]

  --seconds      how long each route is called
  --connections  how many connections there are at a time
  --requests     how many requests each of them sends without reading an answer
  --route        only routes that this text is part of
`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '100' },
    requests: { type: 'string', default: '60' },
    route: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const load = {
  millis: Number(values.seconds) * 1000,
  connections: Number(values.connections),
  requests: Number(values.requests),
}

if (values.help) {
  process.stdout.write(HELP)
  process.exit()
}

const server = await startMeasured('large')
const routes = requestsTo(server).filter(
  ({ caller, route }) =>
    caller !== 'operator' && (values.route === undefined || route.includes(values.route)),
)
try {
  process.stdout.write(
    '| route | data | `/healthz` p50 / p99 / longest, ms | longest block, ms | memory above calm, MB | lives |\n|---|---|---|---|---|---|\n',
  )
  for (const request of routes) {
    process.stderr.write(`${request.route} (${request.data})\n`)
    const { p50, p99, longest, aboveCalmBytes, blockedMillis, isAlive } = await unread(
      server,
      request,
      load,
    )
    const memory = (aboveCalmBytes / 1e6).toFixed(0)
    process.stdout.write(
      `| \`${request.route}\` | ${request.data} | ${[p50, p99, longest].map((ms) => ms.toFixed(1)).join(' / ')} | ${blockedMillis.toFixed(1)} | ${memory} | ${isAlive ? 'yes' : 'no'} |\n`,
    )
    if (!isAlive) break
  }
} finally {
  await server.stop()
}
