// Lists the files that one submission of a shopper passes, from the request to its answer, by the coverage of V8. Nobody can
// keep this list by hand, and a long one means that a newcomer needs long to follow a request. `pnpm path`

import { mkdtempSync, rmSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readConfig, serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import { basic, DEMO, orderBody, PERSON } from '../harness/shop.ts'

const HELP = `pnpm path [--help]

  Starts a sandbox on a SQLite file, submits a shopper's data, and lists the files that the request passes until it is answered.
`

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
if (values.help) {
  console.log(HELP)
  process.exit()
}

const root = fileURLToPath(new URL('../..', import.meta.url))

type Script = {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
}

const session = new Session()
session.connect()

// A session of the own thread answers before `post` returns.
const takeCoverage = (): readonly Script[] => {
  let scripts: readonly Script[] = []
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    scripts = result
  })
  return scripts
}

const filesIn = (scripts: readonly Script[]): readonly string[] =>
  scripts
    .filter(
      ({ url, functions }) => url.includes('/packages/') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => relative(join(root, 'packages'), fileURLToPath(url)).replace('/src/', '/'))
    .sort()

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const folder = mkdtempSync(join(tmpdir(), 'plazo-path-'))
const config = readConfig({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'path.db')}`, LOG_LEVEL: 'silent' })
if (E.isLeft(config)) throw new Error(config.left.join('\n'))
const server = await serve(config.right)

const place = async (): Promise<string> => {
  const answer = await post(`${server.baseUrl}/orders`, orderBody(), {
    authorization: basic(DEMO.username, DEMO.password),
  })
  return `${server.baseUrl}/api/v1/checkout/${answer.headers.get('location')?.split('/').at(-1)}/identification`
}

// The first submissions load and cache what later ones do not.
const WARM_UP = 20
for (let count = 0; count < WARM_UP; count++) await post(await place(), PERSON)
const address = await place()
// The worker finishes its jobs, and is idle when the submission arrives.
const IDLE_MILLIS = 3_000
await new Promise((resolve) => setTimeout(resolve, IDLE_MILLIS))

session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
takeCoverage()
let passed: readonly string[] = []
const end = ServerResponse.prototype.end
// What runs after the answer, such as the claim of the job that sends the code, is not part of the path.
ServerResponse.prototype.end = function (this: ServerResponse, ...given: Parameters<typeof end>) {
  if (passed.length === 0) passed = filesIn(takeCoverage())
  return end.apply(this, given)
} as typeof end
const answer = await post(address, PERSON)
console.log(`${answer.status} ${JSON.stringify(await answer.json())}`)
for (const file of passed) console.log(`  ${file}`)
console.log(`${passed.length} files`)

await server.stop()
rmSync(folder, { recursive: true })
process.exit()
