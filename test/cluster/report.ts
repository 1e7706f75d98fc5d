// Prints the result of a cluster run as tables, so that `pnpm crash` and `pnpm nodes` report in the same words.
import type { ClusterReport } from './run.ts'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

export const table = (title: string, rows: readonly (readonly [string, string | number])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return [title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join('\n')
}

export const reportRun = ({ placed, lost, unansweredPlaces, answerCount, account }: ClusterReport<unknown>): void => {
  say(
    table('orders', [
      ['placed and answered', placed],
      ['in the database', account.orders.length],
      ['sent, and without an answer', unansweredPlaces],
      ['requests of all kinds without an answer', lost],
      ['journal lines, all replayed', account.lines],
      ['facts in answers to clients', answerCount],
      ...Object.entries(account.ends),
    ]),
  )
  say(
    table(
      'effects: derived from the journals / revoked / found done',
      Object.entries(account.effects).map(([kind, { derived, revoked, performed }]) => [
        kind,
        `${derived} / ${revoked} / ${performed}`,
      ]),
    ),
  )
  say(
    table('requests at the merchants', [
      ['received', account.requests.all],
      ['different Webhook-Ids', account.requests.keys],
      ['received more than once', account.requests.repeated],
    ]),
  )
}
