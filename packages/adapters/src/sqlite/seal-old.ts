// Encrypts data that was written before encryption existed. One transaction handles a few orders, so that a kill loses nothing
// and another process that opens the file gets its turn.
import type { Work } from '@plazo/core'
import { ownLane } from '../rows/beside.ts'
import {
  PAYLOAD,
  PLACED,
  placeOfInput,
  placeOfMessage,
  placeOfResponse,
  placeOfSecret,
  placeOfSms,
  placeOfSnapshot,
  placeOfWork,
} from '../rows/places.ts'
import { isPlain } from '../rows/plain-work.ts'
import { keyIdOfSecret, seal } from '../sealing/sealer.ts'
import type { Database } from './database.ts'
import { LINES } from './journal.ts'
import type { Vault } from './vault.ts'

const ORDERS_AT_ONCE = 20

type OldOrder = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: string
  readonly placed: string
  readonly payload: string
}

const oldOrders = (db: Database, vault: Vault) => {
  const find = db.prepare<[number], OldOrder>(`
    select o.id, o.order_ref, o.revision, o.snapshot, p.placed, p.payload
    from unsealed u join orders o on o.id = u.order_id join placements p on p.order_id = o.id limit ?`)
  const done = db.prepare('delete from unsealed where order_id = ?')
  const order = db.prepare('update orders set snapshot = ? where id = ?')
  const placement = db.prepare('update placements set placed = ?, payload = ? where order_id = ?')
  const inputs = db.prepare<[number], { id: number; seq: number; input: string }>(
    `${LINES} select id, seq, input from journal where id in (select id from lines) and input is not null`,
  )
  const input = db.prepare('update journal set input = ? where id = ?')
  const entries = db.prepare<[number], { id: number; revision: number; lane: string; work: string; message: string }>(
    'select id, revision, lane, work, message from outbox where order_id = ?',
  )
  const entry = db.prepare('update outbox set work = ?, message = ? where id = ?')
  const responses = db.prepare<[number], { n: number; response: string }>(
    `select n, response from attempts where delivery_id = ? and response <> ''`,
  )
  const response = db.prepare('update attempts set response = ? where delivery_id = ? and n = ?')
  const messages = db.prepare<[number], { id: number; key: string; message: string }>(
    'select id, key, message from sandbox_messages where order_id = ?',
  )
  const message = db.prepare('update sandbox_messages set message = ? where id = ?')

  const sealOne = ({ id, order_ref, revision, snapshot, placed, payload }: OldOrder): void => {
    const { dataKey, keep } = vault.draw(order_ref)
    const sealed = (place: string, text: string): Buffer => seal(dataKey, place, text)
    keep(id)
    order.run(sealed(placeOfSnapshot(revision), snapshot), id)
    placement.run(sealed(PLACED, placed), sealed(PAYLOAD, payload), id)
    for (const line of inputs.all(id)) input.run(sealed(placeOfInput(line.seq), line.input), line.id)
    for (const row of entries.all(id)) {
      const isSealed = !isPlain(JSON.parse(row.work) as Work)
      entry.run(
        isSealed ? sealed(placeOfWork(row.revision, ownLane(row.lane)), row.work) : row.work,
        row.message === null ? null : sealed(placeOfMessage(row.id), row.message),
        row.id,
      )
      for (const attempt of responses.all(row.id))
        response.run(sealed(placeOfResponse(row.id, attempt.n), attempt.response), row.id, attempt.n)
    }
    for (const sms of messages.all(id)) message.run(sealed(placeOfSms(sms.key), sms.message), sms.id)
    done.run(id)
  }

  return db.transaction((): number => {
    const orders = find.all(ORDERS_AT_ONCE)
    orders.forEach(sealOne)
    return orders.length
  }).immediate
}

const oldSecrets = (db: Database, { sealer }: Vault) => {
  const secrets = db.prepare<[], { id: number; ref: string; secret: string }>(
    'select id, ref, signature_secret as secret from merchants',
  )
  const secret = db.prepare('update merchants set signature_secret = ? where id = ?')
  const retired = db.prepare<[], { id: number; ref: string; secret: string }>(
    'select r.id, m.ref, r.secret from retired_secrets r join merchants m on m.id = r.merchant_id',
  )
  const retiredSecret = db.prepare('update retired_secrets set secret = ? where id = ?')

  return db.transaction((): number => {
    const isOld = ({ secret }: { readonly secret: string }): boolean => keyIdOfSecret(secret) === null
    const [current, former] = [secrets.all().filter(isOld), retired.all().filter(isOld)]
    for (const old of current) secret.run(sealer.sealSecret(placeOfSecret(old.ref), old.secret), old.id)
    for (const old of former) retiredSecret.run(sealer.sealSecret(placeOfSecret(old.ref), old.secret), old.id)
    return current.length + former.length
  }).immediate
}

/** Afterwards nothing can be read without a key, not even earlier content in unused pages of the file. */
export const sealOld = (db: Database, vault: Vault): void => {
  const [sealOrders, sealSecrets] = [oldOrders(db, vault), oldSecrets(db, vault)]
  let sealed = sealSecrets()
  // No permanent index covers all rows of an order.
  if (db.prepare('select 1 from unsealed limit 1').get() !== undefined)
    db.exec('create index if not exists outbox_unsealed on outbox (order_id)')
  for (let count = sealOrders(); count > 0; count = sealOrders()) sealed += count
  db.exec('drop index if exists outbox_unsealed')
  if (sealed === 0) return
  db.exec('vacuum')
  db.pragma('wal_checkpoint(truncate)')
}
