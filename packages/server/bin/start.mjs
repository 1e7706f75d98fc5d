// Entry point of `pnpm start`.
import './check-node.mjs'

await import('../src/main.ts')
