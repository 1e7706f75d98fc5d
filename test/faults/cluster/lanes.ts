// Checks the outbox for states that must never exist, no matter how many nodes use it. One
// statement checks everything, so that all of it is from one instant. What is in flight is not
// checked here, because only the node that starts jobs knows; `queue.test.ts` checks it.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const FAULTS = `
with live as materialized (
  select order_id, n, lane, state from plazo.outbox
  where state in ('queued', 'pending') and resend_of is null),
lane as (
  select order_id, lane, count(*) filter (where state <> 'queued') as heads, min(n) as first,
    min(n) filter (where state <> 'queued') as head
  from live group by order_id, lane)
select 'nothing leads its lane' as fault, order_id, lane from lane where heads = 0
union all
select 'two lead one lane', order_id, lane from lane where heads > 1
union all
select 'a later one leads its lane', order_id, lane from lane where head > first`

type LaneFault = {
  readonly fault: string
  readonly order_id: number
  readonly lane: string
}

type LaneChecker = {
  readonly check: () => Promise<readonly LaneFault[]>
  readonly close: () => Promise<void>
}

const openLaneChecker = async (url: string): Promise<LaneChecker> => {
  const client = new pg.Client({ connectionString: url })
  // The database may become unreachable between two looks.
  client.on('error', () => {})
  await client.connect()
  return {
    check: async () => (await client.query<LaneFault>(FAULTS)).rows,
    close: () => client.end(),
  }
}

/**
 * Looks again and again, also after the database was unreachable. Resolves to the number of looks.
 */
export const checkLanesUntilOver = async (
  url: string,
  {
    onFault,
    isOver,
  }: { readonly onFault: (fault: LaneFault) => void; readonly isOver: () => boolean },
): Promise<number> => {
  let checks = 0
  while (!isOver())
    try {
      const lanes = await openLaneChecker(url)
      try {
        while (!isOver()) {
          for (const fault of await lanes.check()) onFault(fault)
          checks += 1
          await pause(20)
        }
      } finally {
        await lanes.close()
      }
    } catch {
      await pause(100)
    }
  return checks
}
