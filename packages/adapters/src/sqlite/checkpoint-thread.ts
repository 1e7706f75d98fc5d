// The thread that `checkpoints.ts` starts: a connection of its own, which only ever copies the log into the file.
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

const db = new Sqlite(String(workerData), { fileMustExist: true })
const checkpoint = db.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', (told: 'checkpoint' | 'close') => {
  if (told === 'checkpoint') {
    checkpoint.all()
    return
  }
  db.close()
  parentPort?.close()
})
