// `pnpm start`.
import './thread-pool.ts'
import './keep-compiled.ts'

await import('./start.ts')
