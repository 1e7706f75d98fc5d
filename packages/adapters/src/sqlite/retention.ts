// Sends retention requests to the writer, which deletes old deliveries and journals from SQLite.
import type { Retention } from '@plazo/core'
import type { CommitQueue } from './commit-queue.ts'

export const sqliteRetention = (queue: CommitQueue): Retention => ({
  dropDeliveries: (request) => () => queue.askSoon({ name: 'dropDeliveries', input: request }),
  dropJournals: (request) => () => queue.askSoon({ name: 'dropJournals', input: request }),
})
