// `pnpm fuzz`: sends random and mutated requests to every route, from one seed.
import { parseArgs } from 'node:util'
import { ANY_PATH, fuzzRoute } from './fuzz-route.ts'
import { openScene } from './scene.ts'

const HELP = `pnpm fuzz [--requests 10000] [--seed N] [--route 'POST /orders'] [--path 42:0:1]

  --requests  how many go to each route
  --seed      draws them; the same seed sends the same
  --route     this one alone
  --path      the one request that a failure has printed, with that failure's seed and route`

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    route: { type: 'string' },
    path: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}

const seed = values.seed === undefined ? Date.now() % 0x7fffffff : Number(values.seed)
const requests = Number(values.requests)
// One service for all routes, as in the gate.
const scene = await openScene()
const routes =
  values.route === undefined ? [...Object.keys(scene.routes), ANY_PATH] : [values.route]

console.log(`seed ${seed}, ${requests} requests to each of ${routes.length} routes`)
const started = performance.now()
let failed = 0
for (const [index, route] of routes.entries()) {
  const begun = performance.now()
  const took = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`
  try {
    const options = {
      seed,
      numRuns: requests,
      ...(values.path !== undefined && { path: values.path }),
    }
    const tally = await fuzzRoute(route, options, scene)
    const counts = Object.entries(tally).map(([status, count]) => `${status}×${count}`)
    console.log(`${index + 1}/${routes.length}  ${route}  ${took()}  ${counts.join(' ')}`)
  } catch (cause) {
    failed += 1
    const message = cause instanceof Error ? cause.message : String(cause)
    const path = /path: "([^"]*)"/.exec(message)?.[1]
    console.error(`${index + 1}/${routes.length}  ${route}  ${took()}  FAILED\n${message}`)
    if (cause instanceof Error && cause.cause instanceof Error) console.error(cause.cause.stack)
    console.error(
      `Again: node test/security/fuzz/fuzz.ts --requests ${requests} --seed ${seed} --route '${route}'${path === undefined ? '' : ` --path ${path}`}`,
    )
  }
}
await scene.stop()
console.log(
  `${((performance.now() - started) / 1000).toFixed(1)} s, ${failed} of ${routes.length} routes failed`,
)
process.exitCode = failed === 0 ? 0 : 1
