// `plazo stuck`: lists jobs whose result could not be applied because of an internal error, and retries them. Contract §6, Stuck.
import { Command } from 'commander'
import { clockOf, type WithHome } from './home.ts'
import { sayList } from './listing.ts'
import { orRefuse, say } from './terminal.ts'

type Asked = { readonly json?: boolean }

const list =
  (withHome: WithHome) =>
  ({ json }: Asked): Promise<void> =>
    withHome(async ({ store }) => {
      const stuck = await orRefuse(store.stuck())
      if (json)
        return say(JSON.stringify(stuck.map(({ key, orderRef, message }) => ({ key, order_ref: orderRef, message }))))
      sayList(
        ['key', 'why'],
        stuck.map(({ key, message }) => [key, message]),
        'Nothing is stuck.',
      )
    })

const retry =
  (withHome: WithHome) =>
  (key: string, { json }: Asked): Promise<void> =>
    withHome(async (home) => {
      await orRefuse(home.store.retryStuckJob(key, (await clockOf(home)).now()), {
        JobNotFound: () => `No stuck job has the key ${JSON.stringify(key)}. \`plazo stuck list\` shows all of them.`,
      })
      say(json ? JSON.stringify({ key, released: true }) : `${key} is due now.`)
    })

export const stuckCommand = (withHome: WithHome): Command => {
  const stuck = new Command('stuck')
    .description('jobs whose result could not be applied because of an internal error')
    .addHelpText(
      'after',
      '\nExamples:\n  plazo stuck list\n  plazo stuck retry 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening',
    )
  stuck
    .command('list')
    .description('lists each stuck job: its key, and the error')
    .option('--json', 'prints JSON: [{key, order_ref, message}]')
    .addHelpText('after', '\nExamples:\n  plazo stuck list\n  plazo stuck list --json')
    .action(list(withHome))
  stuck
    .command('retry')
    .description('runs one again, under the same key; fix the error first')
    .argument('<key>', 'as `plazo stuck list` shows it')
    .option('--json', 'prints JSON: {key, released}')
    .addHelpText('after', '\nExamples:\n  plazo stuck retry 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening')
    .action(retry(withHome))
  return stuck
}
