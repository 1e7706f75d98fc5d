// Entry point of `pnpm start`: the thread pool and the compile cache must be set up before anything else is imported.
import './boot/thread-pool.ts'
import './boot/compile-cache.ts'

await import('./commands/start.ts')
