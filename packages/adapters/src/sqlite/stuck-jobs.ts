// Jobs that an internal error made stuck: lists them, and puts them back into their lanes. Contract
// §6, Stuck.
import { effectKey, type FullStore, type JobNotFound, type StuckJob } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { aadForStuckMessage } from '../encryption/cipher.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { valueOrUnavailable } from './unavailable.ts'
import type { RunCommand } from './writer/commands.ts'

type StuckRow = {
  readonly id: number
  readonly order_id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly message: Buffer | string
}

export const sqliteStuckJobs = (
  db: Database,
  runCommand: RunCommand,
  dataKeys: DataKeys,
): Pick<FullStore, 'stuckJobs' | 'retryStuckJob'> => {
  const stuck = db.prepare<[], StuckRow>(`
    select b.id, b.order_id, o.order_ref, b.revision, b.lane, b.message
    from outbox b join orders o on o.id = b.order_id where b.state = 'stuck' order by b.id`)

  return {
    stuckJobs: () =>
      valueOrUnavailable(() =>
        stuck.all().map(
          ({ id, order_id, order_ref, revision, lane, message }): StuckJob => ({
            key: effectKey(order_ref, revision, lane),
            orderRef: order_ref,
            message: Buffer.isBuffer(message)
              ? dataKeys.decrypt(order_id, aadForStuckMessage(id), message)
              : message,
          }),
        ),
      ),

    retryStuckJob: (key, at) =>
      TE.flatMapEither(
        runCommand('retryStuckJob', { key, at }),
        (isRetried): E.Either<JobNotFound, void> =>
          isRetried ? E.right(undefined) : E.left({ _tag: 'JobNotFound' }),
      ),
  }
}
