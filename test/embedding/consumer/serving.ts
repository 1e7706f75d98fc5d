// Runs the server inside another program, in a project that depends on plazo. Prints the statuses of two resources read from
// files.
import { openLog, readConfig, serve } from '@plazo/server'

const config = readConfig({ PORT: '0', DATABASE_URL: 'sqlite::memory:' })
if (config._tag === 'Left') throw new Error(config.left.join('\n'))
const serving = await serve(config.right, openLog('silent'))
for (const path of ['/sdk/identification-form.js', '/docs']) console.log((await fetch(serving.baseUrl + path)).status)
await serving.stop()
