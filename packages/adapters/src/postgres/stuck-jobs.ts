// Puts a job that an internal error made stuck back into its lane, in PostgreSQL. Contract §6, Stuck.
import { type Connection, statement } from './connection/connection.ts'
import { parseEffectKey } from './sql/values.ts'

const LOCK = statement(
  'stuck-job-lock',
)`update plazo.orders set version = version + 1 where order_ref = $1`

const RETRY_STUCK = statement('stuck-job-retry')`
  update plazo.outbox b set message = null, due_at = $4, state = case when exists (
      select from plazo.outbox a
      where a.order_id = b.order_id and a.lane = b.lane and a.state in ('queued', 'pending', 'claimed'))
    then 'queued' else 'pending' end
  where b.state = 'stuck' and b.order_id = (select id from plazo.orders where order_ref = $1) and b.revision = $2 and b.lane = $3 returning b.id`

/** False: no job with that key is stuck. */
export const retryStuckJob = async (
  { transaction }: Connection,
  key: string,
  at: number,
): Promise<boolean> => {
  const parts = parseEffectKey(key)
  if (parts === null) return false
  const { orderRef, revision, lane } = parts
  return transaction(async (run) => {
    await run(LOCK, orderRef)
    const released = await run(RETRY_STUCK, orderRef, revision, lane, at)
    return released.length > 0
  })
}
