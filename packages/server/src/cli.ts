// The program of `plazo`, the operator's command line, which bin/plazo.mjs starts. It runs next to
// a server and uses the same settings. Contract §7.
import './host/process-setup.ts'

// EPIPE: the reader has closed the pipe, as `head` does. Any other error: the output file cannot be
// written.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`Cannot write the output: ${message}.\n`)
  process.exit(1)
})

const { plazoCommand } = await import('./cli/plazo.ts')

plazoCommand(
  process.env.MODE === 'production'
    ? null
    : (await import('./cli/sandbox-commands.ts')).sandboxCommands(),
)
  .parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve'])
  .catch((cause: unknown) => {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
    process.exitCode = 1
  })
