// A process that waits for a line of input, opens a SQLite file and prints the result. Tests start
// several to open a file at once.
import { openSqlite } from '@plazo/adapters/sqlite'

console.log('ready')
process.stdin.once('data', async () => {
  try {
    const home = openSqlite(process.argv[2] ?? '')
    console.log((await home.store.takesWrites()) ? 'opened' : 'unreachable')
    void home.close().then(() => process.exit(0))
  } catch (cause) {
    console.log(String(cause))
    process.exit(1)
  }
})
