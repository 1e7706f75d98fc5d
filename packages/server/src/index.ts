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
export { serve } from './host/serve.ts'
export { openLog } from './log/log.ts'
export { type Environment, readConfig } from './settings/config.ts'
