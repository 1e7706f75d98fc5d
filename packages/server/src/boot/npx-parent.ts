// `npx` does not pass a signal on. When it is ended by its process id, the server that it started
// would go on and keep its port. So such a server checks whether `npx` still runs.
import { readFileSync } from 'node:fs'

// The shells and the package manager between them.
const GENERATIONS = 8
/** Milliseconds. */
const INTERVAL = 500

/** Null: it has ended, or this is not Linux. */
const readProcess = (pid: number): { readonly parent: number; readonly command: string } | null => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    // The name in parentheses may contain blanks.
    const [, parent = '0'] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return { parent: Number(parent), command }
  } catch {
    return null
  }
}

/** The process of `npx` that started this one, directly or not; null if there is none. */
const findNpx = (): number | null => {
  let pid = process.ppid
  for (let generation = 0; generation < GENERATIONS && pid > 1; generation++) {
    const ancestor = readProcess(pid)
    if (ancestor === null) return null
    if (/^npm exec\b|^\S*node \S*\/npx\b/.test(ancestor.command)) return pid
    pid = ancestor.parent
  }
  return null
}

/**
 * Sends this process SIGTERM once the `npx` that started it has ended. Does nothing if no package
 * manager started it.
 */
export const endWithNpx = (): void => {
  const npx = process.env.npm_execpath === undefined ? null : findNpx()
  if (npx === null) return
  const watch = setInterval(() => {
    // One that has ended but is not yet forgotten has no command.
    if (readProcess(npx)?.command) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, INTERVAL)
  watch.unref()
}
