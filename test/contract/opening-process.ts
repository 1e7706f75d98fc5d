// A process that opens a SQLite file once it is told to, places nothing, and says how that went.
import { openSqlite } from '@plazo/adapters/sqlite'

console.log('ready')
process.stdin.once('data', async () => {
  try {
    const home = openSqlite(process.argv[2] ?? '')
    console.log((await home.isReachable()) ? 'opened' : 'unreachable')
    void home.close().then(() => process.exit(0))
  } catch (cause) {
    console.log(String(cause))
    process.exit(1)
  }
})
