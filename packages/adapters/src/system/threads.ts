// Starts threads. Both ends of a thread are in one module, because they share its messages: the
// module starts itself once more, as the program of the thread.
import { Worker, workerData } from 'node:worker_threads'

/**
 * `url`: the module's own `import.meta.url`. `name`: of the thread, the same as in `threadData`.
 */
export const startThread = <Data>(url: string, name: string, data: Data): Worker =>
  new Worker(new URL(url), { workerData: { thread: name, data } })

/**
 * The data that the thread got when it started. Undefined in every other thread, which only imports
 * the module.
 */
export const threadData = <Data>(name: string): Data | undefined =>
  typeof workerData === 'object' && workerData !== null && workerData.thread === name
    ? workerData.data
    : undefined
