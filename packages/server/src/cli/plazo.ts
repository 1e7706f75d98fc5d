// Builds all commands as one value, so that a test can read the help without starting a process.
// Each command has its own file.
import { readFileSync } from 'node:fs'
import { backupCommand } from './backup.ts'
import { PlazoCommand } from './command.ts'
import { conformCommand } from './conform.ts'
import { deliveriesCommand } from './deliveries.ts'
import { doctorCommand } from './doctor.ts'
import { keysCommand } from './keys.ts'
import { machineCommand } from './machine.ts'
import { merchantCommand } from './merchant.ts'
import { ordersCommand } from './orders.ts'
import { eraseCommand } from './orders-erase.ts'
import { refuse } from './terminal.ts'

/** `plazo serve`: runs the server, as `pnpm start` does. */
const serveCommand = (): PlazoCommand =>
  new PlazoCommand('serve')
    .description(
      'runs the server, as `./pnpm start` does, until SIGTERM, SIGINT, SIGHUP or SIGQUIT',
    )
    .examples('PORT=8080 DATABASE_URL=sqlite:/var/lib/plazo/plazo.db plazo serve')
    .action(async () => {
      await import('../main.ts')
    })

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** Commands that a server of production does not have. */
const SANDBOX_COMMANDS = ['demo', 'clock']

const missingCommand = (name: string): PlazoCommand =>
  new PlazoCommand(name)
    .description('exists only in a sandbox')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => refuse(`\`plazo ${name}\` exists only in a sandbox, but MODE is production.`))

/** `sandboxCommands`: null in production. */
export const plazoCommand = (sandboxCommands: readonly PlazoCommand[] | null): PlazoCommand => {
  const plazo = new PlazoCommand('plazo')
    .version(readVersion())
    .description('Runs and administers plazo, a buy-now-pay-later checkout backend.')
    .notes(`Commands use the server's settings, which are environment variables such as DATABASE_URL. A running server sees the
changes of a command at once.

Exit codes: 0 for success; 1 if the command was refused or failed, or if doctor found a problem. Standard error says what
to do.`)
    .examples('DATABASE_URL=sqlite:./data/plazo.db plazo orders list --state reviewing')
  const commands = [
    serveCommand(),
    ...(sandboxCommands ?? SANDBOX_COMMANDS.map(missingCommand)),
    merchantCommand(),
    ordersCommand().addCommand(eraseCommand()),
    deliveriesCommand(),
    backupCommand(),
    keysCommand(),
    doctorCommand(),
    conformCommand(),
    machineCommand(),
  ]
  for (const command of commands) plazo.addCommand(command)
  return plazo
}
