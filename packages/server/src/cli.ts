#!/usr/bin/env node
// `plazo`: what operators do from a terminal, beside a running server and with the same settings. Contract §7.
import { Command } from 'commander'
import { deliveriesCommand } from './commands/deliveries.ts'
import { withHome } from './commands/home.ts'
import { merchantCommand } from './commands/merchant.ts'

const plazo = new Command('plazo').description('Runs and keeps plazo, a buy-now-pay-later checkout backend.')

plazo.addCommand(merchantCommand(withHome))
plazo.addCommand(deliveriesCommand(withHome))

plazo
  .command('serve')
  .description('serves plazo, as `pnpm start` does')
  .action(async () => {
    await import('./main.ts')
  })

plazo.parseAsync().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exitCode = 1
})
