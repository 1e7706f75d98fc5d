#!/usr/bin/env node
// `plazo`: what operators do from a terminal, beside a running server and with the same settings. Contract §7.
import './thread-pool.ts'
import './keep-compiled.ts'

// Whoever reads has had enough, as `head` has.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code !== 'EPIPE') throw cause
  process.exit()
})

const { plazoCommand } = await import('./commands/plazo.ts')

plazoCommand()
  .parseAsync()
  .catch((cause: unknown) => {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
    process.exitCode = 1
  })
