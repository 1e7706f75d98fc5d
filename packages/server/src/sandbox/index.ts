// @plazo/server/sandbox: the program of a sandbox. It composes a server as any host does, with a clock
// that can be moved, simulated providers and placeholders for the lender, and serves its tools beside
// that server's app.
//
// ```ts
// import { openLog, readConfig, serve } from '@plazo/server'
// import { composeSandbox } from '@plazo/server/sandbox'
//
// const config = readConfig({ PORT: '0', DATABASE_URL: 'sqlite::memory:' })
// if (config._tag === 'Left') throw new Error(config.left.join('\n'))
// const server = await serve(config.right, openLog('silent'), { compose: composeSandbox })
// console.log((await fetch(`${server.baseUrl}/sandbox/clock`)).status) // 200
// await server.stop()
// ```

import { createTestClock, listMessages, sandboxProviders } from '@plazo/adapters/internal/sandbox'
import { systemTimers } from '@plazo/adapters/system'
import type { ProviderPort } from '@plazo/core/internal'
import {
  answerOrThrow,
  answersOf,
  answersPort,
  type ComposeOptions,
  type Config,
  compose,
  mountable,
  mountRoutes,
  openLog,
  openStorage,
  type Plazo,
  referencePages,
} from '@plazo/server/internal'
import { Hono } from 'hono'
import { controlTestClock, type TestClockControl } from './clock/test-clock.ts'
import { addDemoMerchant } from './demo-merchant.ts'
import { demoRoutes } from './demo-orders.ts'
import { frameAt } from './layout.ts'
import { lenderPages, lenderPlaceholders } from './lender.ts'
import { demoPages } from './pages.ts'
import {
  payLinks,
  payPages,
  payRoutes,
  verifyLinks,
  verifyPages,
  verifyRoutes,
} from './provider-pages/routes.ts'
import { createRecorder, recordProviders, recordRequests } from './recorder.ts'
import { sandboxRoutes, webhooksPages } from './routes.ts'
import type { SandboxServices } from './services.ts'
import { receiverRoutes } from './webhooks/receivers.ts'

// Everything else is the server's.
const OWN_PATHS = ['/', '/docs', '/openapi.json', '/demo/*', '/sandbox/*']

/**
 * Composes a server as `compose` does, with all that only a sandbox has. `options` may bring
 * providers, which replace the simulated ones. Rejects as `compose` does.
 */
export const composeSandbox = async (config: Config, options: ComposeOptions): Promise<Plazo> => {
  const log = options.log ?? openLog(config.logLevel)
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const { timers = systemTimers, wrapProviders = (providers) => providers } = options
  const storage = options.storage ?? (await openStorage(config, options, log))
  const { records, merchants } = storage
  try {
    const realNow = storage.clock.now
    const clock = await answerOrThrow(config, createTestClock(records, { realNow }))
    await addDemoMerchant(merchants)
    const isSimulated = (port: ProviderPort): boolean =>
      config.providers[port] === null && !answersPort(options.providers ?? {}, port)
    const recorder = createRecorder(clock)
    let time: TestClockControl | null = null
    const simulated = sandboxProviders(records)
    const frame = frameAt(baseUrl)
    const plazo = await compose(config, {
      ...options,
      log,
      storage,
      clock,
      legal: lenderPlaceholders(baseUrl),
      frame,
      links: {
        ...(isSimulated('payment') && payLinks(baseUrl)),
        ...(isSimulated('identity') && verifyLinks(baseUrl)),
        ...options.links,
      },
      wrapProviders: (given) =>
        wrapProviders(recordProviders(recorder, { ...simulated, ...given })),
      onJob: (job) => {
        time?.record(job)
        options.onJob?.(job)
      },
    })
    const { host, worker } = plazo
    const answers = answersOf(plazo.services, frame)
    time = controlTestClock({ clock, store: host.store, dispatcher: worker })
    const services: SandboxServices = {
      ...plazo.services,
      callApp: async (path, init) => app.request(path, init),
      messages: listMessages(records),
      time,
      recorder,
    }
    const routes = [
      ...(isSimulated('payment') ? payRoutes(services) : []),
      ...(isSimulated('identity') ? verifyRoutes(services) : []),
      ...sandboxRoutes(services, timers),
      ...receiverRoutes(services, timers),
      ...demoRoutes(services),
    ]
    const calls = [...plazo.calls, ...routes]
    const pages = [
      demoPages(services),
      lenderPages(),
      webhooksPages(services),
      ...(isSimulated('payment') ? [payPages(services)] : []),
      ...(isSimulated('identity') ? [verifyPages(services)] : []),
      referencePages(services.setting, calls),
    ]
    const tools = new Hono()
    mountRoutes(tools, routes, { ...answers, pages })
    const app = new Hono().use('*', recordRequests(recorder, clock))
    for (const path of OWN_PATHS) app.all(path, (c) => tools.fetch(c.req.raw, c.env))
    app.all('*', (c) => plazo.app.fetch(c.req.raw, c.env))
    return {
      ...plazo,
      app: mountable(app),
      routes: [...tools.routes, ...plazo.routes],
      calls,
    }
  } catch (cause) {
    await storage.close()
    throw cause
  }
}
