// Deliveries with graphile-worker, configured as its guide recommends for many quick jobs: a local
// queue, and completions in batches.
import { EventEmitter } from 'node:events'
import { importPeer } from './install.ts'

type Runner = { readonly stop: () => Promise<void> }
type Utils = {
  readonly migrate: () => Promise<void>
  readonly addJobs: (
    jobs: readonly { readonly identifier: string; readonly payload: unknown }[],
  ) => Promise<unknown>
  readonly release: () => Promise<void>
}
type Graphile = {
  readonly makeWorkerUtils: (options: object) => Promise<Utils>
  readonly run: (options: object) => Promise<Runner>
  readonly Logger: new (factory: () => () => void) => object
}

const TOGETHER = 1000
const BATCH_DELAY = 250

type Job = { readonly index: number }

/**
 * Adds the jobs. Resolves to a function that runs them until each is posted and its completion is
 * written.
 */
export const pendingJobs = async (connectionString: string, count: number, inFlight: number) => {
  const { makeWorkerUtils, run, Logger } = await importPeer<Graphile>('graphile-worker')
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ connectionString, logger })
  await utils.migrate()
  for (let created = 0; created < count; created += TOGETHER)
    await utils.addJobs(
      Array.from({ length: Math.min(TOGETHER, count - created) }, (_, offset) => ({
        identifier: 'deliver',
        payload: { index: created + offset } satisfies Job,
      })),
    )
  await utils.release()

  return async (deliver: (index: number) => Promise<void>): Promise<void> => {
    const events = new EventEmitter()
    let done = 0
    const all = new Promise<void>((resolve, reject) => {
      events.on('job:complete', ({ error }: { readonly error: unknown }) => {
        if (error) reject(error)
        done += 1
        if (done === count) resolve()
      })
    })
    const runner = await run({
      taskList: { deliver: ({ index }: Job) => deliver(index) },
      noHandleSignals: true,
      events,
      preset: {
        worker: {
          connectionString,
          logger,
          concurrentJobs: inFlight,
          maxPoolSize: 10,
          localQueue: { size: 2 * inFlight },
          completeJobBatchDelay: BATCH_DELAY,
          failJobBatchDelay: BATCH_DELAY,
        },
      },
    })
    await all
    await runner.stop()
  }
}
