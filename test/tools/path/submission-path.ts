// Prints the path of one submission through the files of packages/, from the request to its answer:
// `pnpm path`. Nobody can keep this list by hand, and a long path means that a newcomer needs long
// to follow a request.
//
// The server is a production server: the records of the sandbox, which explain an order to people
// who learn, are not part of it.
//
// A file counts once if one of its functions runs for the request: in the server's thread, or in
// the writer's thread for the request's own batch. Work of the background worker does not count,
// even if the request has caused it.
//
// A return is a call into a file that is not finished: one of its functions still waits, directly
// or through others, for the file that calls it. One example is the store, which calls the decision
// of the use case that waits for the store. Two calls are no returns: that of a helper which many
// files call in turn, and one by which a file continues, from a timer or after an answer.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { IncomingMessage, Server, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hashPassword, type Keyring } from '@plazo/adapters/encryption'
import { openSqlite } from '@plazo/adapters/sqlite'
import { reply } from '@plazo/core/ports'
import { serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { aMerchant } from '../../../packages/core/src/testing/contracts/shop.ts'
import { configFrom } from '../../harness/config.ts'
import { DEMO, orderBody, PERSON, shopAt } from '../../harness/shop.ts'
import { writeIntoPage } from '../write-into-page.ts'
import { type Call, now, request, START, spans, TRACE_SETTING } from './record-path.ts'

const HELP = `pnpm path [--write]

  Starts a production server on a SQLite file, submits a shopper's data, and prints the files that the request passes until it is answered,
  in the order in which it first enters them. A line is a package. Then come the returns: a file is called back by another that
  it has called.

  --write  also writes them into docs/architecture.md
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit()
}

const folder = mkdtempSync(join(tmpdir(), 'plazo-path-'))
const trace = join(folder, 'trace')
process.env[TRACE_SETTING] = trace
const DATABASE = join(folder, 'path.db')
// The submission calls none of them.
const PROVIDER = 'https://127.0.0.1:9'
const config = configFrom({
  MODE: 'production',
  PORT: '0',
  DATABASE_URL: `sqlite:${DATABASE}`,
  SECRET_KEY: randomBytes(32).toString('base64'),
  OPERATOR_PASSWORD: 'path of a submission',
  ...{
    SCREENING_URL: PROVIDER,
    SMS_URL: PROVIDER,
    IDENTITY_URL: PROVIDER,
    PAYMENT_URL: PROVIDER,
    RISK_URL: PROVIDER,
  },
  LOG_LEVEL: 'silent',
})

const MERCHANT = { username: 'shop', password: 'a password' }

const addMerchant = async (keyring: Keyring | null): Promise<void> => {
  const { merchants, close } = openSqlite(DATABASE, { keyring })
  const passwordHash = await hashPassword(MERCHANT.password)
  const added = await merchants.add(
    aMerchant(DEMO.ref, {
      ...{ username: MERCHANT.username, passwordHash, country: null, sendActionEvents: false },
      signatureSecret: randomBytes(16).toString('hex'),
    }),
  )()
  await close()
  if (E.isLeft(added)) throw new Error(added.left._tag)
}
await addMerchant(config.keyring)
const server = await serve(config, undefined, {
  // The writer's thread writes from the first job on, as it does under load.
  threadAfterJobs: 0,
  // The code is sent at once. Retries would share commits with the submission.
  providers: (own) => ({ ...own, sms: { send: () => TE.right(reply(null)) } }),
})

const shop = shopAt(server.baseUrl, MERCHANT)

/** Places an order and returns the path of its submissions. */
const place = async (): Promise<string> => {
  const answer = await shop.asMerchant('POST', '/orders', orderBody({}, 'https://shop.invalid'))
  return `/api/v1/checkout/${answer.headers.get('location')?.split('/').at(-1)}/identification`
}

// The first submissions load and cache what later ones do not.
const WARM_UP = 20
for (let count = 0; count < WARM_UP; count++) await shop.send('POST', await place(), PERSON)
// The background worker finishes its jobs, so that its writes share no commit with the
// submission's.
const IDLE_MILLIS = 3_000
const waitUntilIdle = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, IDLE_MILLIS))

const traced = new WeakSet<object>()
let address = ''
let startedAt = 0
let endedAt = 0

const isTraced = ({ url = '' }: IncomingMessage): boolean => address !== '' && address === url

// The events of the request, and of its body, are where plazo is called.
for (const { prototype } of [Server, IncomingMessage]) {
  const { emit } = prototype
  prototype.emit = function (this: object, name: string, ...parameters: unknown[]) {
    const run = () => emit.apply(this as never, [name, ...parameters] as never)
    const [message] = parameters
    const on = name === 'request' && message instanceof IncomingMessage ? message : this
    if (on instanceof IncomingMessage && isTraced(on)) traced.add(on)
    return traced.has(on) && endedAt === 0 ? request.run(START, run) : run()
  } as never
}

const { end } = ServerResponse.prototype
ServerResponse.prototype.end = function (
  this: ServerResponse,
  ...parameters: Parameters<typeof end>
) {
  if (traced.has(this.req)) endedAt = now()
  return end.apply(this, parameters)
} as typeof end

const isPassed = ({ at, thread }: Call): boolean =>
  startedAt <= at &&
  at < endedAt &&
  (thread === 0 ||
    spans.some((span) => span.thread === thread && span.askedAt <= at && at <= span.answeredAt))

/** Submits a new shopper's data and returns the calls that led to the answer. */
const traceSubmission = async (): Promise<readonly Call[]> => {
  const next = await place()
  await waitUntilIdle()
  spans.length = 0
  endedAt = 0
  startedAt = now()
  address = next
  const answer = await shop.send('POST', address, PERSON)
  address = ''
  console.log(`${answer.status} ${JSON.stringify(await answer.json())}`)
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Call)
    .filter(isPassed)
    .sort((one, other) => one.at - other.at)
}

/**
 * The submission's own files of the writer. Another job may begin the commit that they share, and
 * then they count for that job.
 */
const isComplete = (calls: readonly Call[]): boolean =>
  calls.some(({ file }) => file.endsWith('/writer/orders.ts'))

const ATTEMPTS = 10

const traceCompletely = async (attempt = 1): Promise<readonly Call[]> => {
  const calls = await traceSubmission()
  if (isComplete(calls)) return calls
  if (attempt === ATTEMPTS)
    throw new Error(
      `Another job has begun the commit that the submission shares, ${ATTEMPTS} times.`,
    )
  return traceCompletely(attempt + 1)
}

const calls = await traceCompletely()
const files = [...new Set(calls.map(({ file }) => file))]
const returns = calls.filter(({ isReturn }) => isReturn)

const packageOf = (file: string): string => file.split('/', 1).join()

const WIDTH = 124
const INDENT = 10

/** One package's part of the way, in lines that fit on a page. */
const linesOf = (name: string, paths: readonly string[]): readonly string[] => {
  const lines = [name.padEnd(INDENT)]
  for (const path of paths) {
    const line = lines.at(-1) ?? ''
    const longer = `${line}${line.length > INDENT ? ' → ' : ''}${path}`
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${' '.repeat(INDENT - 2)}→ ${path}`)
  }
  return lines
}

// A part of the way is a run of files of one package.
const starts = files.flatMap((file, n) =>
  packageOf(file) === packageOf(files[n - 1] ?? '') ? [] : [n],
)
const way = starts.flatMap((start, n) => {
  const part = files.slice(start, starts[n + 1])
  const name = packageOf(part[0] ?? '')
  return linesOf(
    name,
    part.map((file) => file.slice(name.length + 1)),
  )
})
const callsBack = [...new Set(returns.map(({ caller, file }) => `${file} ← ${caller}`))].sort()
const sizes = ['server', 'core', 'adapters'].map(
  (name) => `${name} ${files.filter((file) => packageOf(file) === name).length}`,
)
const returned = new Set(returns.map(({ file }) => file))
const report = [
  ...way,
  '',
  'Returns: this file ← is called back by that one',
  ...callsBack,
  '',
  `${files.length} files (${sizes.join(', ')}), returns to ${returned.size}`,
].join('\n')
console.log(report)

if (values.write) writeIntoPage('docs/architecture.md', 'path', `\`\`\`text\n${report}\n\`\`\``)

await server.stop()
rmSync(folder, { recursive: true })
process.exit()
