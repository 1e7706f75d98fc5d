// `pnpm blocks`: measures the longest block of the server's event loop for every route, with large
// data. It prints progress on stderr and the table on stdout. docs/performance/event-loop.md has
// the limits.
import { parseArgs } from 'node:util'
import { type MeasuredServer, startMeasured } from './measured-server.ts'
import { type RouteRequest, requestsTo } from './requests.ts'

const HELP = `pnpm blocks [--repeats 7]

  --repeats  how often each route is called after its first request
`

const { values } = parseArgs({
  options: { repeats: { type: 'string', default: '7' }, help: { type: 'boolean', default: false } },
})
const repeats = Number(values.repeats)
if (values.help) {
  process.stdout.write(HELP)
  process.exit()
}

const send = async (
  server: MeasuredServer,
  { method, path, headers, body }: RouteRequest,
): Promise<number> => {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== '' && { body }),
  })
  return (await answer.arrayBuffer()).byteLength
}

type Row = { readonly first: number; readonly median: number; readonly bytes: number }

// Other programs also use the processor. Our own blocks appear in every repeat, so the median says
// more than the maximum.
const measureRoute = async (server: MeasuredServer, request: RouteRequest): Promise<Row> => {
  const blocks: number[] = []
  let bytes = 0
  for (let n = 0; n <= repeats; n++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await server.reset()
    // The monitor counts from its second tick on.
    await new Promise((resolve) => setTimeout(resolve, 20))
    bytes = await send(server, request)
    blocks.push((await server.read()).blockedMillis)
  }
  const [first = 0, ...others] = blocks
  return { first, median: others.sort((a, b) => a - b)[Math.floor(others.length / 2)] ?? 0, bytes }
}

const millis = (value: number): string => value.toFixed(1)

const server = await startMeasured('large')
try {
  process.stdout.write(
    '| route | data | answer | first request, ms | median of the others, ms |\n|---|---|---|---|---|\n',
  )
  for (const request of requestsTo(server)) {
    process.stderr.write(`${request.route} (${request.data})\n`)
    const { first, median, bytes } = await measureRoute(server, request)
    const size = `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KiB`
    process.stdout.write(
      `| \`${request.route}\` | ${request.data} | ${size} | ${millis(first)} | ${millis(median)} |\n`,
    )
  }
} finally {
  await server.stop()
}
