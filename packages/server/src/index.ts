// @plazo/server: the exports for programs that host the server themselves.
//
// ```ts
// import { openLog, readConfig, serve } from '@plazo/server'
// import { composeSandbox } from '@plazo/server/sandbox'
//
// const config = readConfig({ PORT: '0', DATABASE_URL: 'sqlite::memory:' })
// if (config._tag === 'Left') throw new Error(config.left.join('\n'))
// const server = await serve(config.right, openLog('silent'), { compose: composeSandbox })
// console.log((await fetch(`${server.baseUrl}/healthz`)).status) // 200
// await server.stop()
// ```

export { type ComposeOptions, compose, type Plazo } from './host/compose.ts'
export { type Compose, type RunningServer, serve } from './host/serve.ts'
export type { ServerStorage } from './host/storage.ts'
export type { SocketLimits } from './http/limits/connections.ts'
export type {
  ClientAddress,
  MinuteLimit,
  RateLimit,
  RateLimits,
} from './http/limits/rate-limits.ts'
export type { Markup, PageFrame } from './http/page/page.ts'
export { type Log, openLog } from './log/log.ts'
export { type Config, type Environment, linksFrom, readConfig } from './settings/config.ts'
export type { LegalSettings } from './settings/legal-settings.ts'
export type { Mode } from './settings/policy.ts'
