// Loaded before plazo (`node --import`), in every thread: inserts a call at the start of each
// function of packages/*/src. The profiler of V8 can list the files that ran, but not in which
// order, nor for which request.
import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, threadId, Worker } from 'node:worker_threads'
import { parseAst } from 'vitest/node'

/**
 * A file on the way of the traced request, and the file that called it. `isOpen`: the called
 * function is not finished.
 */
type Visit = { readonly file: string; readonly caller: Visit | null; isOpen: boolean }

/** One call from a file to another. `at`: in nanoseconds, by one clock for all threads. */
export type Call = {
  readonly at: number
  readonly thread: number
  readonly file: string
  readonly caller: string
  readonly isReturn: boolean
}

/**
 * The setting that names the file in which all threads write their calls, one line of JSON each.
 */
export const TRACE_SETTING = 'PLAZO_PATH_TRACE'

/** Holds the file in which the traced request is now. Empty outside the request. */
export const request: AsyncLocalStorage<Visit | null> = new AsyncLocalStorage()

/** Before the first file. */
export const START: Visit = { file: '', caller: null, isOpen: true }

// The worker runs jobs after the commit, no matter which request has caused them.
const isBackground = (file: string): boolean => file.startsWith('server/background/')

const isWaiting = (file: string, visit: Visit | null): boolean =>
  visit !== null && ((visit.isOpen && visit.file === file) || isWaiting(file, visit.caller))

const runVisit = (visit: Visit, run: () => unknown): unknown => {
  const close = () => {
    visit.isOpen = false
  }
  let result: unknown
  try {
    result = request.run(visit, run)
    return result
  } finally {
    if (result instanceof Promise) result.then(close, close)
    else close()
  }
}

const pass = (file: string, run: () => unknown): unknown => {
  // A thread records everything. The command keeps what the traced request asked it for.
  const from = request.getStore() ?? (isMainThread ? null : START)
  if (from === null || from.file === file) return run()
  if (isBackground(file)) return request.run(null, run)
  const call: Call = {
    at: now(),
    thread: threadId,
    file,
    caller: from.file,
    isReturn: from.isOpen && isWaiting(file, from.caller),
  }
  const trace = process.env[TRACE_SETTING]
  if (trace !== undefined) appendFileSync(trace, `${JSON.stringify(call)}\n`)
  return runVisit({ file, caller: from, isOpen: true }, run)
}

export const now = (): number => Number(process.hrtime.bigint())

Object.assign(globalThis, { plazoPass: pass })

type Node = {
  readonly type?: string
  readonly start: number
  readonly end: number
  readonly body?: Node | null
  readonly async?: boolean
  readonly generator?: boolean
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

type Insertion = { readonly at: number; readonly text: string }

const insertionsIn = (node: Node, file: string): readonly Insertion[] => {
  const inner = Object.values(node)
    .filter((child) => typeof child === 'object' && child !== null)
    .flatMap((child) => insertionsIn(child as Node, file))
  const { type = '', body, async: isAsync } = node
  if (!FUNCTIONS.has(type) || body === undefined || body === null || node.generator) return inner
  const open = `plazoPass(${JSON.stringify(file)}, ${isAsync ? 'async ' : ''}() => `
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

/** When the traced request asked another thread, and when it had the answer. */
type Span = { readonly thread: number; readonly askedAt: number; answeredAt: number }

export const spans: Span[] = []

type Question = { readonly from: Visit | null; readonly span: Span }

const questions = new WeakMap<Worker, Question[]>()
const { postMessage, emit } = Worker.prototype

Worker.prototype.postMessage = function (
  this: Worker,
  ...parameters: Parameters<typeof postMessage>
) {
  const span = { thread: this.threadId, askedAt: now(), answeredAt: Number.POSITIVE_INFINITY }
  const question = { from: request.getStore() ?? null, span }
  questions.set(this, [...(questions.get(this) ?? []), question])
  if (question.from !== null) spans.push(span)
  return postMessage.apply(this, parameters)
} as typeof postMessage

// The answer of a thread belongs to the request that asked it. A text reports something else, such
// as that the thread is ready.
Worker.prototype.emit = function (this: Worker, name: string, ...parameters: unknown[]) {
  const answer = () => emit.apply(this, [name, ...parameters] as unknown as Parameters<typeof emit>)
  if (name !== 'message' || typeof parameters[0] !== 'object') return answer()
  const question = questions.get(this)?.shift()
  if (question !== undefined) question.span.answeredAt = now()
  return request.run(question?.from ?? null, answer)
} as typeof emit
