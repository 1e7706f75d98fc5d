// The program of `pnpm start`, which bin/start.mjs starts: the thread pool and the compile cache
// must be set up before anything else is imported.
import './boot/process-setup.ts'

await import('./boot/start.ts')
