// `plazo trigger`: runs the whole purchase of one of the sandbox's test persons, so that a developer sees that outcome in their shop.
import { TRIGGERS } from '@plazo/adapters/sandbox'
import { type Json, PlazoCommand, type SandboxMerchant } from './command.ts'
import { runDemo } from './demo.ts'
import { hint, refuseValue, say, sayList } from './terminal.ts'

type Options = SandboxMerchant & Json & { readonly product: string }

const trigger = async (name: string | undefined, { json, ...options }: Options): Promise<void> => {
  if (name === undefined) {
    if (json) return say(JSON.stringify(TRIGGERS.map(({ surnames, note, path }) => ({ surnames, note, path }))))
    return sayList(
      ['name', 'outcome'],
      TRIGGERS.map(({ surnames, note }) => [surnames, note]),
    )
  }
  const names = TRIGGERS.map(({ surnames }) => surnames)
  const surnames = names.find((each) => each === name.trim().toLowerCase())
  if (surnames === undefined) return refuseValue('The name', name, `one of ${names.join(', ')}`)
  const end = await runDemo({ ...options, surnames }, json ? hint : say)
  if (json) say(JSON.stringify(end))
}

export const triggerCommand = (): PlazoCommand =>
  new PlazoCommand('trigger')
    .onlyInSandbox()
    .description('runs the purchase of a test person through a running sandbox, and shows each request and answer')
    .argument('[name]', 'the surnames of the person; without it, lists them all')
    .sandboxMerchantOptions()
    .option('--product <product>', 'i1, pp3, sp1 or fp1', 'fp1')
    .json(': {order_ref, state}, or [{surnames, note, path}] without a name')
    .examples('plazo trigger', 'plazo trigger "denial event"', 'plazo trigger "review event" --product i1')
    .action(trigger)
