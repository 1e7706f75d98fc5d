// Uses the parts that start threads, in a project that depends on plazo: SQLite past its first
// thousand jobs, and the gateway. Prints the results. Without this, a thread that cannot start
// would go unnoticed, because plazo works around it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { threadedGateway } from '@plazo/adapters/http'
import { openSqlite } from '@plazo/adapters/sqlite'
import { wireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

const JOBS = 1_200

let threads = 0
const broken: string[] = []
process.on('worker', (thread) => {
  threads += 1
  thread.on('error', (cause) => broken.push(String(cause)))
})

const home = openSqlite('plazo.db', { threadAfterJobs: 0 })
const moved = await Promise.all(
  // Records with a key are written one by one.
  Array.from({ length: JOBS }, (_, n) =>
    home.records.put({
      ...{ kind: 'job', key: String(n), orderRef: null, merchantRef: null },
      ...{ at: 0, value: null },
    })(),
  ),
)
await home.close()

const merchant = createServer((_, response) => response.writeHead(204).end())
await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', resolve))
const gateway = threadedGateway({
  names: wireNames('Acme', 'acme_state'),
  secretsOf: () => TE.right(['0123456789abcdef0123456789abcdef']),
  realNow: Date.now,
  guard: { allowsLocal: true, allow: [] },
})
const url = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/`
const request = { url, body: 'event=denied', contentType: 'application/x-www-form-urlencoded' }
const response = await gateway.post({
  ...request,
  id: '1',
  merchantRef: 'shop',
  readsBody: false,
})()
gateway.close()
merchant.close()

console.log(
  JSON.stringify({ moved: moved.filter(E.isRight).length, heard: response, threads, broken }),
)
