// The upper limit for a request that only reads: a bare Hono handler that answers a constant, on
// the same libraries as plazo.
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
  .get('/readyz', (c) => c.text('ready'))
  .get('/api/v1/checkout/:uuid/wait', (c) => c.json({ action: 'require_validate_otp' }))

const server = createAdaptorServer({ fetch: app.fetch })
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
