// The thread that `checkpoints.ts` starts. It has its own connection, which only copies the log into the file. If a checkpoint
// fails, the next one does its work: a full disk, or a reader that holds the log, is temporary.
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CheckpointRequest } from './checkpoints.ts'
import { emptyLog, freeBytesOf, logBytesOf, logLimit } from './log-space.ts'

const path = String(workerData)
const db = new Sqlite(path, { fileMustExist: true })
const checkpoint = db.prepare('pragma wal_checkpoint(passive)')

const isTooLarge = (): boolean => {
  const logBytes = logBytesOf(path)
  return logBytes > logLimit(freeBytesOf(dirname(path)), logBytes)
}

const isTemporaryError = (cause: unknown): boolean =>
  cause instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED|FULL|IOERR)/.test(cause.code)

const copy = (): void => {
  try {
    checkpoint.all()
  } catch (cause) {
    if (!isTemporaryError(cause)) throw cause
  }
}

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'close') {
    db.close()
    parentPort?.close()
    return
  }
  copy()
  // After the copy, little is left to do in the moment in which nobody else may write.
  if (request === 'empty' || isTooLarge()) emptyLog(db)
})
