// `plazo stuck`: lists and releases jobs that are stuck because their reply could not be applied to the order. Contract §6.
import { Command } from 'commander'
import { clockOf, type WithHome } from './home.ts'
import { sayList } from './listing.ts'
import { orRefuse, say } from './terminal.ts'

type Asked = { readonly json?: boolean }

const list =
  (withHome: WithHome) =>
  ({ json }: Asked): Promise<void> =>
    withHome(async ({ store }) => {
      const parked = await orRefuse(store.stuck())
      if (json)
        return say(JSON.stringify(parked.map(({ key, orderRef, message }) => ({ key, order_ref: orderRef, message }))))
      sayList(
        ['key', 'why'],
        parked.map(({ key, message }) => [key, message]),
        'Nothing is stuck.',
      )
    })

const release =
  (withHome: WithHome) =>
  (key: string, { json }: Asked): Promise<void> =>
    withHome(async (home) => {
      await orRefuse(home.store.unpark(key, (await clockOf(home)).now()), {
        EntryUnknown: () => `Nothing stuck has the key ${JSON.stringify(key)}: \`plazo stuck list\` shows what is.`,
      })
      say(json ? JSON.stringify({ key, released: true }) : `${key} is back in its lane, and due at once.`)
    })

export const stuckCommand = (withHome: WithHome): Command => {
  const stuck = new Command('stuck')
    .description('what is parked because of a fault of plazo’s, and its release')
    .addHelpText(
      'after',
      '\nExamples:\n  plazo stuck list\n  plazo stuck release 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening',
    )
  stuck
    .command('list')
    .description('lists what is stuck: its key, and why')
    .option('--json', 'prints JSON: [{key, order_ref, message}]')
    .addHelpText('after', '\nExamples:\n  plazo stuck list\n  plazo stuck list --json')
    .action(list(withHome))
  stuck
    .command('release')
    .description('puts one back into its lane, once the fault is mended: it is carried out again, under the same key')
    .argument('<key>', 'as `plazo stuck list` shows it')
    .option('--json', 'prints JSON: {key, released}')
    .addHelpText('after', '\nExamples:\n  plazo stuck release 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening')
    .action(release(withHome))
  return stuck
}
