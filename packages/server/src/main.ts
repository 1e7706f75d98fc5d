// Entry point of `pnpm start`: the thread pool and the compile cache must be set up before anything else is imported.
import './thread-pool.ts'
import './keep-compiled.ts'

await import('./start.ts')
