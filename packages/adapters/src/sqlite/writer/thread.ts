// The thread that `threaded-writer.ts` starts. It runs the writer with its own connection and its own data keys.
import { parentPort, workerData } from 'node:worker_threads'
import { createCipher } from '../../encryption/cipher.ts'
import { systemTimers } from '../../system/clock-and-ids.ts'
import { sqliteDataKeys } from '../encryption/data-keys.ts'
import { openDatabase } from '../schema/database.ts'
import type { Batch } from './commands.ts'
import type { WriterThreadData, WriterThreadMessage } from './threaded-writer.ts'
import { sqliteWriter } from './writer.ts'

const { path, keyring, boot, patience, moments }: WriterThreadData = workerData
const db = openDatabase(path)

const sendMessage = (message: WriterThreadMessage): void => parentPort?.postMessage(message)

const waitAtMoment = (acknowledgement: Int32Array) => (moment: 'before' | 'after') => {
  Atomics.store(acknowledgement, 0, 0)
  sendMessage(moment)
  Atomics.wait(acknowledgement, 0, 0)
}

const writer = sqliteWriter(db, {
  dataKeys: sqliteDataKeys(db, createCipher(keyring)),
  // Keeps its claim tokens different from those of the thread that started it.
  boot: `${boot}.beside`,
  monotonicNow: systemTimers.monotonicNow,
  patience,
  onCommit: moments === null ? undefined : waitAtMoment(moments),
})

parentPort?.on('message', (message: Batch | 'close') => {
  if (message !== 'close') return sendMessage(writer.write(message))
  db.close()
  parentPort?.close()
})
sendMessage('ready')
