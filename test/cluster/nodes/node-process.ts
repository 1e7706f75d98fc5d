// The server as `pnpm start` runs it, one of several on a database, except that LEASE sets the duration of a lease in
// milliseconds instead of one minute.
import { readConfig, serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'

const config = readConfig(process.env)
if (E.isLeft(config)) throw new Error(config.left.join('\n'))

const serving = await serve(config.right, undefined, { lease: Number(process.env.LEASE) })
process.stdout.write(`plazo is listening on http://127.0.0.1:${process.env.PORT}\n`)
process.on('SIGTERM', async () => {
  await serving.stop()
  process.exit(0)
})
