// Builds all commands as one value, so that a test can read the help without starting a process.
import { Command, Help } from 'commander'
import { backupCommand } from './backup.ts'
import { deliveriesCommand } from './deliveries.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { keysCommand } from './keys.ts'
import { machineCommand } from './machine.ts'
import { merchantCommand } from './merchant.ts'
import { ordersCommand } from './orders.ts'
import { portsCommand } from './ports.ts'
import { withConfig, withNewStorage, withStorage } from './storage.ts'
import { stuckCommand } from './stuck.ts'

/** `plazo serve`: runs the server, as `pnpm start` does. */
const serveCommand = (): Command =>
  new Command('serve')
    .description('runs the server, as `pnpm start` does, until SIGTERM or SIGINT')
    .addHelpText(
      'after',
      `
Prints a line once it listens, then a log of JSON lines. On SIGTERM it accepts no new connections, finishes the work in
flight within 30 s, and exits with 0 (under pnpm with 143). If settings are invalid, it exits with 1 and a line for each.

Examples:
  plazo serve
  PORT=8080 DATABASE_URL=sqlite:/var/lib/plazo/plazo.db plazo serve`,
    )
    .action(async () => {
      await import('./start.ts')
    })

const allCommands = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(allCommands)]

// The parser reports only the first missing option: this lists all of them.
const listAllMissing = (command: Command): Command =>
  command.configureOutput({
    outputError: (text, write) => {
      const missing = command.options.filter(
        (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
      )
      const isOfMissing = text.startsWith('error: required option') && missing.length > 1
      write(
        isOfMissing
          ? `error: required options ${missing.map(({ flags }) => `'${flags}'`).join(', ')} not specified\n`
          : text,
      )
    },
  })

const markRequired = (command: Command): Command =>
  command.configureHelp({
    optionDescription: (option) =>
      `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
  })

export const plazoCommand = (): Command => {
  const plazo = new Command('plazo')
    .description('Runs and administers plazo, a buy-now-pay-later checkout backend.')
    .addHelpText(
      'after',
      `
Commands use the server's settings, which are environment variables. The most important one is DATABASE_URL.
A running server sees the changes of a command at once.

Exit codes: 0 for success; 1 if the command was refused or failed, or if doctor found a problem. Standard error says what
to do.

Examples:
  plazo serve
  plazo demo
  plazo merchant list
  DATABASE_URL=sqlite:./data/plazo.db plazo orders list --state reviewing --json
  DATABASE_URL=postgres://plazo@db.internal/plazo SECRET_KEY=… plazo doctor`,
    )
  plazo.addCommand(serveCommand())
  plazo.addCommand(demoCommand())
  plazo.addCommand(merchantCommand(withStorage, withNewStorage))
  plazo.addCommand(ordersCommand(withStorage))
  plazo.addCommand(deliveriesCommand(withStorage))
  plazo.addCommand(stuckCommand(withStorage))
  plazo.addCommand(backupCommand(withConfig))
  plazo.addCommand(keysCommand(withStorage))
  plazo.addCommand(portsCommand(withStorage))
  plazo.addCommand(doctorCommand(withStorage))
  plazo.addCommand(machineCommand())
  for (const command of allCommands(plazo))
    markRequired(listAllMissing(command)).showHelpAfterError('Run with --help for usage.')
  return plazo
}
