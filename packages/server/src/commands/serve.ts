// `plazo serve`: runs the server, as `pnpm start` does.
import { Command } from 'commander'

export const serveCommand = (): Command =>
  new Command('serve')
    .description('serves plazo, as `pnpm start` does, until SIGTERM or SIGINT')
    .addHelpText(
      'after',
      `
Prints a line of its own once it listens, then a log of JSON lines. On SIGTERM it takes no new connection, finishes what
is in flight within 30 s, and ends with 0 (pnpm around it with 143). A wrong setting ends it with 1 and a line for each.

Examples:
  plazo serve
  PORT=8080 DATABASE_URL=sqlite:/var/lib/plazo/plazo.db plazo serve`,
    )
    .action(async () => {
      await import('../start.ts')
    })
