// The program of `pnpm start` and `plazo serve`. The thread pool and the compile cache must be set up
// before anything else is imported.
import './boot/process-setup.ts'

const { readSettings, start } = await import('./boot/start.ts')

const config = readSettings()
if (config.mode === 'sandbox') {
  const { composeSandbox } = await import('./sandbox/index.ts')
  const { guide } = await import('./sandbox/guide.ts')
  await start(config, composeSandbox, guide)
} else {
  const { compose } = await import('./boot/compose.ts')
  await start(config, compose)
}
