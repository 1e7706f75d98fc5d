// Prints the paths of one submission and of one delivery through the files of packages/:
// `pnpm path`. Nobody can keep this list by hand, and a long path means that a newcomer needs long
// to follow a request.
//
// A submission goes from the request to its answer, and a delivery from the claim to its
// completion. A file counts once if one of its functions runs for them: in the server's thread, or
// in another thread that they asked. Background work counts too.
//
// A re-entry is one of two things. A file is called back: it waits, directly or through others, for
// the file that calls it, as the store calls the decision of the use case that waits for the store.
// Or it goes on: it has waited for another file. A function that returns a task waits until the
// task has run. A helper which many files call in turn is not entered again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { IncomingMessage, Server, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeIntoPage } from '../write-into-page.ts'
import { type Call, now, START, spans, TRACE_SETTING, traced, traceNext } from './record-path.ts'
import { reportPath } from './report.ts'
import { startTracedServer } from './traced-server.ts'

const HELP = `pnpm path [--write]

  Starts a production server on a SQLite file, submits a shopper's data, delivers an IPN, and prints the files that both pass, in the
  order in which they first enter them. A line is a package. Then come the re-entries: a file is called back by another that it
  has called, or goes on after it has waited.

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
const { place, submit, pathOf, codeOf, stateOf, stop } = await startTracedServer(folder)

const pause = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

/** Resolves when `isTrue` does so with true, after 10 seconds at the latest. */
const waitUntil = async (isTrue: () => Promise<boolean>): Promise<void> => {
  for (let count = 0; count < 200 && !(await isTrue()); count++) await pause(50)
}

// The background worker finishes its jobs, so that its writes share no commit with what is
// measured.
const waitUntilIdle = (): Promise<void> => pause(3_000)

/** Submits everything but the last request, which leads to the IPN. Resolves to the order's uuid. */
const reachLastSubmission = async (): Promise<string> => {
  const orderRef = await place()
  await submit(orderRef)
  await waitUntil(async () => codeOf(orderRef) !== '')
  await submit(orderRef, { validation_code: codeOf(orderRef) })
  await waitUntil(async () => (await stateOf(orderRef)) === 'screened')
  return orderRef
}

const confirm = async (orderRef: string): Promise<void> => {
  await submit(orderRef)
  await waitUntil(async () => (await stateOf(orderRef)) === 'confirmed')
}

let startedAt = 0
let endedAt = Number.POSITIVE_INFINITY

const startTrace = (): void => {
  spans.length = 0
  writeFileSync(trace, '')
  startedAt = now()
  endedAt = Number.POSITIVE_INFINITY
}

const isPassed = ({ at, thread }: Call): boolean =>
  startedAt <= at &&
  at < endedAt &&
  (thread === 0 ||
    spans.some((span) => span.thread === thread && span.askedAt <= at && at <= span.answeredAt))

const readTrace = (): readonly Call[] =>
  readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Call)
    .filter(isPassed)
    .sort((one, other) => one.at - other.at)

const tracedMessages = new WeakSet<object>()
let tracedUrl = ''

// The events of the request, and of its body, are where plazo is called.
for (const { prototype } of [Server, IncomingMessage]) {
  const { emit } = prototype
  prototype.emit = function (this: object, name: string, ...parameters: unknown[]) {
    const run = () => emit.apply(this as never, [name, ...parameters] as never)
    const [message] = parameters
    const on = name === 'request' && message instanceof IncomingMessage ? message : this
    if (on instanceof IncomingMessage && tracedUrl !== '' && tracedUrl === on.url)
      tracedMessages.add(on)
    return tracedMessages.has(on) && now() < endedAt ? traced.run(START, run) : run()
  } as never
}

const { end } = ServerResponse.prototype
ServerResponse.prototype.end = function (
  this: ServerResponse,
  ...parameters: Parameters<typeof end>
) {
  if (tracedMessages.has(this.req)) endedAt = now()
  return end.apply(this, parameters)
} as typeof end

/** Submits a new shopper's data and returns the calls that led to the answer. */
const traceSubmission = async (): Promise<readonly Call[]> => {
  const orderRef = await place()
  await waitUntilIdle()
  startTrace()
  tracedUrl = pathOf(orderRef)
  const answer = await submit(orderRef)
  tracedUrl = ''
  console.log(`${answer.status} ${JSON.stringify(await answer.json())}\n`)
  return readTrace()
}

/** Confirms a new order by an IPN and returns the calls of its delivery. */
const traceDelivery = async (): Promise<readonly Call[]> => {
  const orderRef = await reachLastSubmission()
  await waitUntilIdle()
  startTrace()
  traceNext({ file: 'adapters/host/dispatcher.ts', name: 'claim' })
  await confirm(orderRef)
  await waitUntilIdle()
  return readTrace()
}

const ATTEMPTS = 10

/**
 * Traces again until the calls include the last file of the path. Another job may begin the commit
 * that they share, or a claim may find nothing.
 */
const traceUntil = async (
  lastFile: string,
  run: () => Promise<readonly Call[]>,
  attempt = 1,
): Promise<readonly Call[]> => {
  const calls = await run()
  if (calls.some(({ file }) => file.endsWith(lastFile))) return calls
  if (attempt === ATTEMPTS) throw new Error(`${ATTEMPTS} traces did not pass ${lastFile}.`)
  return traceUntil(lastFile, run, attempt + 1)
}

// The first orders load and cache what later ones do not.
const WARM_UP = 10
for (let count = 0; count < WARM_UP; count++) await confirm(await reachLastSubmission())

const report = [
  'A submission, from the request to its answer',
  '',
  reportPath(await traceUntil('/writer/writer.ts', traceSubmission)),
  '',
  'A delivery, from the claim to its completion',
  '',
  reportPath(await traceUntil('/worker/complete-job.ts', traceDelivery)),
].join('\n')
console.log(report)

if (values.write) writeIntoPage('docs/architecture.md', 'path', `\`\`\`text\n${report}\n\`\`\``)

await stop()
rmSync(folder, { recursive: true })
process.exit()
