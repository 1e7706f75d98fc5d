// The server as `pnpm start` runs it, except that LEASE sets the duration of a lease in milliseconds instead of one minute.
import { readConfig, serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'

const config = readConfig(process.env)
if (E.isLeft(config)) throw new Error(config.left.join('\n'))

const serving = await serve(config.right, undefined, { lease: Number(process.env.LEASE) })
process.stdout.write(`plazo is listening on ${serving.baseUrl}\n`)
