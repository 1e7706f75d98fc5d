// Rotates the master key while servers run: the new key is put first, and everything is encrypted
// again under it.
import { openSqlite } from '@plazo/adapters/sqlite'
import { aMerchant, NOON, openShop, unwrap } from '@plazo/core/internal/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandLine } from '../../harness/command-line.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import { aKeyNamed, keyringOf } from '../../harness/secret-keys.ts'

type Use = {
  readonly id: string
  readonly role: string
  readonly orders: number
  readonly secrets: number
}

const [OLD, NEW] = [aKeyNamed('old'), aKeyNamed('new')]

const ORDERS = 20

let path: string
let server: RunningServer | null = null

const envOf = (secretKey: string) => ({ DATABASE_URL: `sqlite:${path}`, SECRET_KEY: secretKey })

const fill = async (): Promise<readonly string[]> => {
  const home = openSqlite(path, { keyring: keyringOf(OLD) })
  const shop = openShop(home.store)
  shop.advance(Date.now() - NOON)
  await unwrap(home.merchants.add(aMerchant('shop')))
  await unwrap(home.merchants.rotateSecret('shop', 'f'.repeat(32), shop.now()))
  const refs = await Promise.all(Array.from({ length: ORDERS }, () => shop.place()))
  await home.close()
  return refs
}

beforeEach(() => {
  path = pathOfTest('plazo.db')
})
afterEach(async () => {
  await server?.kill()
  server = null
})

describe('plazo keys', () => {
  it('does not rotate to a key that no running server has, unless an option says that none runs', async () => {
    await fill()
    server = await startServer({ env: envOf(OLD) })
    const plazo = commandLine(envOf(`${NEW},${OLD}`))
    expect(await plazo.run('keys', 'rotate')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^No server has used the first key of SECRET_KEY yet.*Restart the running server.*--offline/s,
      ),
    })
    expect((await plazo.json<readonly Use[]>('keys', 'list'))[0]).toMatchObject({
      id: 'new',
      orders: 0,
      secrets: 0,
    })
    await server.stop()
    expect(await plazo.json('keys', 'rotate', '--offline')).toMatchObject({
      orders: ORDERS,
      removable: ['old'],
    })
  })
})

describe('a start', () => {
  const expectRefusal = async (secretKey: string) => {
    const { code, stderr } = await commandLine(envOf(secretKey)).run('keys', 'list')
    expect(code).toBe(1)
    for (const key of [OLD, NEW, secretKey].filter((input) => input !== ''))
      for (const each of key.split(','))
        expect(stderr).not.toContain(each.slice(each.indexOf(':') + 1))
    return stderr.trim()
  }

  it('names the key that is missing or different, and shows no key', async () => {
    await fill()
    expect(await expectRefusal(NEW)).toBe(
      `SECRET_KEY has no key "old", but ${ORDERS} orders are encrypted under it. Add this key behind the first one.`,
    )
    expect(await expectRefusal(aKeyNamed('old'))).toBe(
      'SECRET_KEY has a key "old", but the database was encrypted under another key with that id.',
    )
    expect(await expectRefusal('')).toBe(
      `SECRET_KEY is not set, and ${path}.key is missing. The database is encrypted under the key "old". For a backup, copy the key file of the original database.`,
    )
  })
})
