// A process that claims everything due in a SQLite file, prints the count, and never completes it.
// Tests kill it to see others go on. `node claiming-process.ts <file> <at>`
import { openSqlite } from '@plazo/adapters/sqlite'
import * as E from 'fp-ts/lib/Either.js'

const [path = '', at = ''] = process.argv.slice(2)
const { store } = openSqlite(path)
const request = {
  at: Number(at),
  perAccount: null,
  capacity: { deliveries: 9, notGood: 9, internal: 9 },
}
const claimed = await store.claim(() => request)()
console.log(E.isRight(claimed) ? `claimed ${claimed.right.length}` : claimed.left.message)
process.stdin.resume()
