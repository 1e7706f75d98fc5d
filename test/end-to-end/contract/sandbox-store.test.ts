// Runs the same tests on every storage of the sandbox's own data: messages, cards and clock.
import { memorySandboxStore } from '@plazo/adapters/memory'
import type { RecordFilter, SandboxStore } from '@plazo/adapters/sandbox'
import { openSqlite } from '@plazo/adapters/sqlite'
import { NOON, openShop, unwrap } from '@plazo/core/testing/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPostgresParts, type PostgresParts } from '../../harness/postgres-storage.ts'

type OpenedSandboxStore = {
  readonly sandboxStore: SandboxStore
  readonly close: () => Promise<void>
}
type Refs = readonly [one: string, other: string, third: string]

// If any text can be a reference, one may be the beginning of another.
const ALIKE: Refs = ['order-1', 'order-10', 'order']
const UUIDS: Refs = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000010',
  '00000000-0000-4000-8000-000000000000',
]

// Encrypted values need an order whose data key encrypts them.
const inSqlite = async (): Promise<OpenedSandboxStore> => {
  const home = openSqlite(':memory:')
  const shop = openShop(home.store)
  for (const orderRef of ALIKE) {
    const { order, ...rest } = shop.preparePlacing()
    await unwrap(
      home.store.place(
        { ...rest, order: { ...order, placed: { ...order.placed, orderRef } } },
        '{}',
      ),
    )
  }
  return { ...home, sandboxStore: home.sandboxStore }
}

const inPostgres = async (): Promise<PostgresParts> => {
  const home = await openPostgresParts()
  for (const orderRef of UUIDS) await keepKey(home, orderRef)
  return home
}

const keepKey = async (
  { dataKeys, connection }: PostgresParts,
  orderRef: string,
): Promise<void> => {
  const { keyId, tag, ciphertext } = dataKeys.cipher.createKey(orderRef).encryptedKey
  const text = `insert into plazo.data_keys values ($1, $2, $3, $4)
    on conflict (order_ref) do update set key_id = excluded.key_id, tag = excluded.tag, ciphertext = excluded.ciphertext`
  await connection.query({ name: 'keep-key', text }, orderRef, keyId, tag, ciphertext)
}

const stores: readonly (readonly [string, Refs, () => Promise<OpenedSandboxStore>])[] = [
  ['in memory', ALIKE, async () => ({ sandboxStore: memorySandboxStore(), close: async () => {} })],
  ['in SQLite', ALIKE, inSqlite],
  ['in PostgreSQL', UUIDS, inPostgres],
]

describe.each(stores)('the sandbox store %s', (_, [one, other, third], open) => {
  let sandboxStore: SandboxStore
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ sandboxStore, close } = await open())
  })
  afterEach(() => close())

  const aMessage = (orderRef: string, revision: number) => ({
    key: `${orderRef}:${revision}:sms`,
    orderRef,
    at: NOON + revision,
    to: '600123456',
    text: `Código ${revision}`,
    code: '24680',
  })

  it("lists an order's messages, oldest first, and no other's", async () => {
    const [first, second] = [aMessage(one, 10), aMessage(one, 2)]
    for (const message of [first, aMessage(other, 2), second, aMessage(third, 2)])
      await unwrap(sandboxStore.addMessage(message))
    expect(await unwrap(sandboxStore.messages(one))).toEqual([first, second])
    expect(await unwrap(sandboxStore.messages('nobody'))).toEqual([])
  })

  it('stores a message once, as it was first added', async () => {
    await unwrap(sandboxStore.addMessage(aMessage(third, 2)))
    await unwrap(sandboxStore.addMessage({ ...aMessage(third, 2), at: NOON + 9 }))
    expect(await unwrap(sandboxStore.messages(third))).toEqual([aMessage(third, 2)])
  })

  it("lists an owner's cards in the order in which they were last stored, each once", async () => {
    const card = {
      token: 'c1',
      brand: 'visa',
      lastFour: '1111',
      expiry: '07/26',
      maskedPan: '411111******1111',
    }
    for (const token of ['c1', 'c2', 'c1'])
      await unwrap(sandboxStore.keepCard(third, 'ana', { ...card, token }))
    expect(await unwrap(sandboxStore.cards('ana'))).toEqual([{ ...card, token: 'c2' }, card])
    expect(await unwrap(sandboxStore.cards('eva'))).toEqual([])
  })

  const aRecord = (orderRef: string | null, content: string, kind = 'request') => ({
    merchantRef: 'shop',
    orderRef,
    kind,
    at: NOON,
    content,
  })
  const contentsOf = async (
    filter: RecordFilter,
    after = 0,
    limit = 10,
  ): Promise<readonly string[]> =>
    (await unwrap(sandboxStore.records(filter, after, limit))).map(({ content }) => content)

  it("lists an order's records, oldest first, from any of them on", async () => {
    for (const content of ['"1"', '"2"', '"3"'])
      await unwrap(sandboxStore.addRecord(aRecord(one, content)))
    await unwrap(sandboxStore.addRecord(aRecord(other, '"4"')))
    expect(await contentsOf({ orderRef: one })).toEqual(['"1"', '"2"', '"3"'])
    const [first] = await unwrap(sandboxStore.records({ orderRef: one }, 0, 1))
    expect(first).toMatchObject(aRecord(one, '"1"'))
    expect(await contentsOf({ orderRef: one }, first?.id, 1)).toEqual(['"2"'])
    expect(await contentsOf({ orderRef: third })).toEqual([])
  })

  it("lists a merchant's records of one kind, of orders and of none, and keeps as many as asked", async () => {
    for (const content of ['1', '2', '3'])
      await unwrap(sandboxStore.addRecord(aRecord(one, content, 'inbox'), 2))
    await unwrap(sandboxStore.addRecord(aRecord(null, '"\\u0000 ✓"', 'inbox'), 2))
    await unwrap(sandboxStore.addRecord(aRecord(one, '5'), 2))
    await unwrap(
      sandboxStore.addRecord({ ...aRecord(null, '6', 'inbox'), merchantRef: 'lamps' }, 2),
    )
    expect(await contentsOf({ merchantRef: 'shop', kind: 'inbox' })).toEqual(['3', '"\\u0000 ✓"'])
    expect(await contentsOf({ merchantRef: 'shop', kind: 'request' })).toEqual(['5'])
  })

  it('keeps one value under a name of a merchant, and finds values by the beginning of the name', async () => {
    await unwrap(sandboxStore.setSetting('shop', 'drill.b', '1'))
    await unwrap(sandboxStore.setSetting('shop', 'drill.a', '2'))
    await unwrap(sandboxStore.setSetting('lamps', 'drill.a', '3'))
    await unwrap(sandboxStore.setSetting('shop', 'inbox', '4'))
    await unwrap(sandboxStore.setSetting('shop', 'drill.b', '5'))
    await unwrap(sandboxStore.setSetting('lamps', 'drill.a', null))
    expect(await unwrap(sandboxStore.settings('drill.'))).toEqual([
      { merchantRef: 'shop', name: 'drill.a', value: '2' },
      { merchantRef: 'shop', name: 'drill.b', value: '5' },
    ])
  })

  it('returns the total offset of the clock, even if several callers move it', async () => {
    expect(await unwrap(sandboxStore.clockOffset())).toBe(0)
    const moved = await Promise.all([
      unwrap(sandboxStore.moveClock(60_000)),
      unwrap(sandboxStore.moveClock(30_000)),
    ])
    expect(Math.max(...moved)).toBe(90_000)
    expect(await unwrap(sandboxStore.clockOffset())).toBe(90_000)
  })
})

describe('the sandbox store in PostgreSQL', () => {
  const [one, other] = UUIDS
  let home: PostgresParts
  beforeEach(async () => {
    home = await inPostgres()
  })
  afterEach(() => home.close())

  const aMessage = (orderRef: string, revision: number) => ({
    key: `${orderRef}:${revision}:sms`,
    orderRef,
    at: NOON + revision,
    to: '600123456',
    text: '\0 ✓',
    code: '24680',
  })

  it('writes many messages in one statement, and skips only those that it cannot write', async () => {
    const nobody = '00000000-0000-4000-8000-00000000000f'
    const messages = [aMessage(one, 1), aMessage(other, 1), aMessage(one, 1), aMessage(one, 2)]
    for (const { orderRef } of messages) await unwrap(home.sandboxStore.messages(orderRef))
    await unwrap(home.sandboxStore.addMessage(aMessage(one, 0)))
    await unwrap(home.sandboxStore.addMessage(aMessage(other, 0)))
    const before = home.statements.length
    const added = await Promise.all(
      [
        ...messages.map(home.sandboxStore.addMessage),
        home.sandboxStore.addMessage(aMessage(nobody, 1)),
      ].map((add) => add()),
    )
    expect(added.map(({ _tag }) => _tag)).toEqual(['Right', 'Right', 'Right', 'Right', 'Left'])
    expect(
      home.statements.slice(before).filter((name) => name === 'sandbox-messages-add'),
    ).toHaveLength(1)
    expect((await unwrap(home.sandboxStore.messages(one))).map(({ key }) => key)).toEqual(
      [0, 1, 2].map((revision) => `${one}:${revision}:sms`),
    )
    expect(await unwrap(home.sandboxStore.messages(other))).toEqual([
      aMessage(other, 0),
      aMessage(other, 1),
    ])
  })

  it('writes nothing under a destroyed data key, even if the write waits for the destruction', async () => {
    // Repeated so often that PostgreSQL has settled on a plan for the statement.
    for (let revision = 0; revision < 8; revision++)
      await unwrap(home.sandboxStore.addMessage(aMessage(one, revision)))
    const late = await home.connection.transaction(async (query) => {
      await query({
        name: '',
        text: 'lock table plazo.sandbox_messages in share row exclusive mode',
      })
      const waiting = home.sandboxStore.addMessage(aMessage(one, 9))()
      const stands = {
        name: '',
        text: `select 1 from pg_locks where not granted and relation = 'plazo.sandbox_messages'::regclass`,
      }
      while ((await query(stands)).length === 0);
      await query({ name: '', text: 'delete from plazo.sandbox_messages' })
      await query({ name: '', text: 'update plazo.data_keys set tag = tag + 1' })
      return { waiting }
    })
    expect(await late.waiting).toMatchObject({
      left: { message: expect.stringContaining('was erased') },
    })
    expect(
      await home.connection.query({ name: '', text: 'select 1 from plazo.sandbox_messages' }),
    ).toEqual([])
  })
})
