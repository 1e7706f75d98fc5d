// A process that waits for input, opens a PostgreSQL database and prints the result. Tests start
// several at once. `node starting-process.ts <url>`, with SECRET_KEY.

import { parseKeyring } from '@plazo/adapters/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import * as E from 'fp-ts/lib/Either.js'

const keyring = parseKeyring(process.env.SECRET_KEY ?? '')
if (E.isLeft(keyring)) throw new Error(keyring.left)

console.log('ready')
process.stdin.once('data', async () => {
  try {
    const home = await openPostgres(process.argv[2] ?? '', {
      keyring: keyring.right,
      connections: 2,
    })
    console.log((await home.store.takesWrites()) ? 'opened' : 'unreachable')
    await home.close()
    process.exit(0)
  } catch (cause) {
    console.log(String(cause))
    process.exit(1)
  }
})
