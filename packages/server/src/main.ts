// `pnpm start`.
import './keep-compiled.ts'

await import('./start.ts')
