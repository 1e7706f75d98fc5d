// Deliveries with graphile-worker, configured as its guide recommends for many quick jobs: a local
// queue, and completions in batches. Each job leaves an encrypted record of its attempt, as plazo's
// do.
import { EventEmitter } from 'node:events'
import { newKeyring } from '@plazo/adapters/internal/encryption'
import pg from 'pg'
import { createCipher, encrypt } from '../../../../packages/adapters/src/encryption/cipher.ts'
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
type Helpers = {
  readonly withPgClient: (use: (client: pg.ClientBase) => Promise<unknown>) => Promise<void>
}

const RECORD = { name: 'record', text: 'insert into attempt_records values ($1, $2)' }

const createRecords = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('create table attempt_records (job integer primary key, record bytea)')
  await client.end()
}

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
  await createRecords(connectionString)
  const { dataKey } = createCipher(newKeyring()).createKey('')

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
      taskList: {
        deliver: async ({ index }: Job, { withPgClient }: Helpers) => {
          const startedAt = Date.now()
          await deliver(index)
          const attempt = { n: 1, trigger: 'schedule', startedAt, endedAt: Date.now(), status: 200 }
          const record = encrypt(dataKey, `attempt ${index}`, JSON.stringify(attempt))
          await withPgClient((client) => client.query({ ...RECORD, values: [index, record] }))
        },
      },
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
