// Runs the server inside another program, in a project that depends on plazo. Prints the statuses
// of the reference and of scripts, which are read from files.
import { openLog, readConfig, serve } from '@plazo/server'
import { composeSandbox } from '@plazo/server/sandbox'

const config = readConfig({ PORT: '0', DATABASE_URL: 'sqlite::memory:' })
if (config._tag === 'Left') throw new Error(config.left.join('\n'))
const serving = await serve(config.right, openLog('silent'), { compose: composeSandbox })
const PATHS = [
  '/docs/reference.js',
  '/sdk/checkout.js',
  '/sdk/card-form.js',
  '/assets/payment-frame.js',
]
for (const path of PATHS) console.log((await fetch(serving.baseUrl + path)).status)
await serving.stop()
