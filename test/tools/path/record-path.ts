// Loaded before plazo (`node --import`), in every thread: inserts a call at the start of each
// function of packages/*/src. The profiler of V8 can list the files that ran, but not in which
// order, nor for which request.
import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { isMainThread, threadId, Worker } from 'node:worker_threads'
import { parseAst } from 'vitest/node'
import { LOOPBACK_CERTIFICATE } from '../../harness/loopback-certificate.ts'

/**
 * A file on the way of what is traced, and the file that called it. `isOpen`: the called function is
 * not finished. A lazy task is finished when it has been run to its end.
 */
type Visit = {
  readonly file: string
  readonly caller: Visit | null
  isOpen: boolean
  /** How many of its functions are on the stack. */
  depth: number
}

const visitOf = (file: string, caller: Visit | null): Visit => ({
  file,
  caller,
  isOpen: true,
  depth: 0,
})

/**
 * `call`: a file enters another. `return`: a file is called back by one that it waits for. `resume`:
 * a file goes on after it has waited for another.
 */
type Entry = 'call' | 'return' | 'resume'

/** `at`: in nanoseconds, by one clock for all threads. `caller`: the file itself if it resumes. */
export type Call = {
  readonly at: number
  readonly thread: number
  readonly file: string
  readonly caller: string
  readonly entry: Entry
}

/**
 * The setting that names the file in which all threads write their calls, one line of JSON each.
 */
export const TRACE_SETTING = 'PLAZO_PATH_TRACE'

/** Holds the file in which the traced work is now. Empty outside of it. */
export const traced: AsyncLocalStorage<Visit | null> = new AsyncLocalStorage()

/** Before the first file. */
export const START: Visit = visitOf('', null)

/** The next call of this function begins the trace: background work begins with no request. */
type Root = { readonly file: string; readonly name: string }

let nextRoot: Root | null = null

export const traceNext = (root: Root): void => {
  nextRoot = root
}

const isNextRoot = (file: string, name: string): boolean => {
  if (nextRoot?.file !== file || nextRoot.name !== name) return false
  nextRoot = null
  return true
}

const isWaiting = (file: string, visit: Visit | null): boolean =>
  visit !== null && ((visit.isOpen && visit.file === file) || isWaiting(file, visit.caller))

// A `TaskEither` is a function without parameters. Functions with members are something else.
const isTask = (result: unknown): result is () => unknown =>
  typeof result === 'function' && result.length === 0 && Object.keys(result).length === 0

/** The file of this thread that ran last. */
let lastFile = ''

const record = (file: string, caller: string, entry: Entry): void => {
  const call: Call = { at: now(), thread: threadId, file, caller, entry }
  const trace = process.env[TRACE_SETTING]
  if (trace !== undefined) appendFileSync(trace, `${JSON.stringify(call)}\n`)
  lastFile = file
}

const runOnStack = (visit: Visit, run: () => unknown): unknown => {
  visit.depth++
  try {
    return traced.run(visit, run)
  } finally {
    visit.depth--
  }
}

const runVisit = (visit: Visit, run: () => unknown): unknown => {
  const close = () => {
    visit.isOpen = false
  }
  visit.isOpen = true
  let result: unknown
  try {
    result = runOnStack(visit, run)
  } finally {
    if (result instanceof Promise) result.then(close, close)
    else if (!isTask(result)) close()
  }
  if (!isTask(result)) return result
  const task = result
  return () => runVisit(visit, task)
}

const noteResume = ({ file, depth }: Visit): void => {
  if (depth === 0 && lastFile !== file) record(file, file, 'resume')
}

const pass = (file: string, name: string, run: () => unknown): unknown => {
  // A thread records everything. The command keeps what the traced work asked it for.
  const from = traced.getStore() ?? (isMainThread && !isNextRoot(file, name) ? null : START)
  if (from === null) return run()
  if (from.file === file) {
    noteResume(from)
    return runOnStack(from, run)
  }
  record(file, from.file, from.isOpen && isWaiting(file, from.caller) ? 'return' : 'call')
  return runVisit(visitOf(file, from), run)
}

/** Notes that the file goes on after an `await`, until it waits again. */
const resume = <A>(file: string, value: A): A => {
  const visit = traced.getStore()
  if (visit?.file !== file) return value
  noteResume(visit)
  visit.depth++
  queueMicrotask(() => visit.depth--)
  return value
}

export const now = (): number => Number(process.hrtime.bigint())

Object.assign(globalThis, { plazoPass: pass, plazoResume: resume })

// A delivery goes to a receiver on this machine.
setDefaultCACertificates([...getCACertificates(), LOOPBACK_CERTIFICATE.cert])

type Node = {
  readonly type?: string
  readonly start: number
  readonly end: number
  readonly body?: Node | null
  readonly async?: boolean
  readonly generator?: boolean
  readonly id?: { readonly name?: string } | null
  readonly init?: Node | null
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

type Insertion = { readonly at: number; readonly text: string }

/** `name`: of the variable that holds the node. */
const insertionsIn = (node: Node, file: string, name = ''): readonly Insertion[] => {
  const inner = Object.values(node)
    .filter((child) => typeof child === 'object' && child !== null)
    .flatMap((child) =>
      insertionsIn(child as Node, file, child === node.init ? node.id?.name : undefined),
    )
  const { type = '', body, async: isAsync } = node
  if (type === 'AwaitExpression')
    return [
      { at: node.start, text: `plazoResume(${JSON.stringify(file)}, ` },
      ...inner,
      { at: node.end, text: ')' },
    ]
  if (!FUNCTIONS.has(type) || body === undefined || body === null || node.generator) return inner
  const open = `plazoPass(${JSON.stringify(file)}, '${name}', ${isAsync ? 'async ' : ''}() => `
  return body.type === 'BlockStatement'
    ? [
        { at: body.start + 1, text: ` return ${open}{` },
        ...inner,
        { at: body.end - 1, text: '}) ' },
      ]
    : [{ at: body.start, text: `${open}(` }, ...inner, { at: body.end, text: '))' }]
}

const instrument = (source: string, file: string): string => {
  let [text, end] = ['', 0]
  const insertions = insertionsIn(parseAst(source, { lang: 'ts' }) as unknown as Node, file)
  for (const { at, text: inserted } of insertions.toSorted((one, other) => one.at - other.at)) {
    text += source.slice(end, at) + inserted
    end = at
  }
  return text + source.slice(end)
}

const SOURCE = /\/packages\/(\w+)\/src\/(.*\.ts)$/

registerHooks({
  load: (url, context, nextLoad) => {
    const [, name = '', path = ''] = SOURCE.exec(url) ?? []
    if (path === '') return nextLoad(url, context)
    const source = instrument(readFileSync(fileURLToPath(url), 'utf8'), `${name}/${path}`)
    return { format: 'module-typescript', source, shortCircuit: true }
  },
})

/** When the traced work asked another thread, and when it had the last message about it. */
type Span = { readonly thread: number; readonly askedAt: number; answeredAt: number }

export const spans: Span[] = []

type Question = { readonly from: Visit | null; readonly span: Span }

/** The questions that a thread has not answered yet, and the last one that it has. */
type Questions = { readonly open: Question[]; last: Question | null }

const questionsOf = new WeakMap<Worker, Questions>()
const { postMessage, emit } = Worker.prototype

Worker.prototype.postMessage = function (
  this: Worker,
  ...parameters: Parameters<typeof postMessage>
) {
  const span = { thread: this.threadId, askedAt: now(), answeredAt: Number.POSITIVE_INFINITY }
  const question = { from: traced.getStore() ?? null, span }
  const questions = questionsOf.get(this) ?? { open: [], last: null }
  questions.open.push(question)
  questionsOf.set(this, questions)
  if (question.from !== null) spans.push(span)
  return postMessage.apply(this, parameters)
} as typeof postMessage

// The answer of a thread belongs to the work that asked it. The gateway's thread sends several
// messages about one delivery. A text reports something else, such as that the thread is ready.
Worker.prototype.emit = function (this: Worker, name: string, ...parameters: unknown[]) {
  const answer = () => emit.apply(this, [name, ...parameters] as unknown as Parameters<typeof emit>)
  const questions = questionsOf.get(this)
  if (name !== 'message' || typeof parameters[0] !== 'object' || questions === undefined)
    return answer()
  const question = questions.open.shift() ?? questions.last
  questions.last = question
  if (question !== null) question.span.answeredAt = now()
  lastFile = ''
  return traced.run(question?.from ?? null, answer)
} as typeof emit
