// The program of `pnpm start` and `plazo serve`. The thread pool and the compile cache must be set up
// before anything else is imported.
import './host/process-setup.ts'

const { readSettings, start } = await import('./host/start.ts')

const config = readSettings()
if (config.mode === 'sandbox') {
  const { composeSandbox } = await import('./sandbox/index.ts')
  const { guide } = await import('./sandbox/guide.ts')
  await start(config, composeSandbox, guide)
} else {
  const { compose } = await import('./host/compose.ts')
  await start(config, compose)
}
