#!/usr/bin/env node
// `plazo`: what operators do from a terminal, beside a running server and with the same settings. Contract §7.
import './thread-pool.ts'
import './keep-compiled.ts'

// Whoever reads has had enough, as `head` has; or what is said goes into a file that cannot be written.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`What the command says cannot be written: ${message}.\n`)
  process.exit(1)
})

const { plazoCommand } = await import('./commands/plazo.ts')

plazoCommand()
  .parseAsync()
  .catch((cause: unknown) => {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
    process.exitCode = 1
  })
