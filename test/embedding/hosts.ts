// Runs the hosts of docs/hosts, each exactly as its page has it. Each must send its merchant what the
// bundled server sends.
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { serve } from '@plazo/server'
import Sqlite from 'better-sqlite3'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { type PackedProject, programsOf } from '../harness/packed-project.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { queryPostgres } from '../harness/postgres.ts'
import { freshDatabase } from '../harness/postgres-storage.ts'
import { startReceiver } from '../harness/receiver.ts'
import { aKeyNamed } from '../harness/secret-keys.ts'
import { basic, CARD, DEMO, orderBody } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { type WalkedHost, walk } from './walk.ts'

const startBundledServer = async (): Promise<WalkedHost> => {
  let printed = ''
  const config = configFrom({
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    SERVICE_NAME: 'Acme',
    IPN_STATE_PARAMETER: 'acme_state',
  })
  const server = await serve(config, () => {}, {
    compose: composeInMode,
    providers: {
      screening: { screen: async () => ({ outcome: 'approved', alternative: null }) },
      sms: {
        send: async ({ payload: { to, text } }) => {
          printed += `${to}: ${text}`
        },
      },
    },
  })
  const shop = await startReceiver()
  onTestFinished(async () => {
    await server.stop()
    await shop.close()
  })
  return {
    url: server.baseUrl,
    shop,
    printed: () => printed,
    routes: {
      orders: '/orders',
      merchant: DEMO.ref,
      card: CARD,
      ordersHeaders: { authorization: basic(DEMO.username, DEMO.password) },
      readOrderRef: async ({ headers }) => headers.get('location')?.split('/').at(-1) ?? '',
      identification: (orderRef) => `/api/v1/checkout/${orderRef}/identification`,
      wait: (orderRef) => `/api/v1/checkout/${orderRef}/wait`,
    },
  }
}

type Query = (sql: string) => Promise<readonly unknown[]>

const openSqliteFile = async (project: PackedProject) => {
  const path = join(project.folder, 'shop.db')
  const query: Query = async (sql) => {
    const database = new Sqlite(path)
    const rows = database.prepare(sql).all()
    database.close()
    return rows
  }
  return { environment: { DATABASE: path }, query }
}

const openPostgresDatabase = async () => {
  const { url, drop } = await freshDatabase()
  const query: Query = (sql) => queryPostgres(url, sql)
  onTestFinished(async () => {
    await query('drop table baskets')
    await drop()
  })
  return { environment: { DATABASE_URL: url }, query }
}

/** Each commits an order in one transaction with a row of its own, whose table comes first. */
const SHOPS = [
  { name: 'sqlite', open: openSqliteFile, tables: ['baskets', 'plazo_orders'] },
  { name: 'postgres', open: openPostgresDatabase, tables: ['baskets', 'plazo.orders'] },
]

export const testHosts = (project: PackedProject): void => {
  /** Runs the program beside a shop. */
  const startHost = async (file: string, environment: Readonly<Record<string, string>>) => {
    const [port, shop] = [await freePort(), await startReceiver()]
    onTestFinished(() => shop.close())
    const host = project.start([file], { ...environment, PORT: String(port) })
    const url = `http://127.0.0.1:${port}`
    await waitUntil(() => fetch(url).then(Boolean, () => false))
    return { ...host, url, shop }
  }

  /** The host takes requests by the routes of node-http.md. It is stopped. */
  const expectWalk = async (host: Awaited<ReturnType<typeof startHost>>): Promise<void> => {
    await expect(await walk(host)).toMatchFileSnapshot('walk-record.txt')
    expect((await fetch(`${host.url}/orders/${crypto.randomUUID()}`)).status).toBe(404)
    expect(await host.stop()).toBe(0)
  }

  describe('a merchant of each host', () => {
    it('gets these requests from the bundled server', async () => {
      await expect(await walk(await startBundledServer())).toMatchFileSnapshot('walk-record.txt')
    })

    it('gets the same from docs/hosts/node-http.md', async () => {
      project.write('host.ts', programsOf('hosts/node-http.md')[0] ?? '')
      await expectWalk(await startHost('host.ts', { DATABASE: join(project.folder, 'host.db') }))
    })

    it.each(SHOPS)(
      'gets the same from docs/hosts/own-database.md on $name, which commits an order with its basket or neither',
      async ({ name, open, tables }) => {
        const programs = programsOf('hosts/own-database.md')
        for (const [index, file] of ['shop', 'sqlite-shop', 'postgres-shop'].entries())
          project.write(`${file}.ts`, programs[index] ?? '')
        const { environment, query } = await open(project)
        const settings = { ...environment, SECRET_KEY: aKeyNamed('first') }
        const host = await startHost(`${name}-shop.ts`, settings)
        const buy = async (total: number) => {
          const items = [{ total_with_tax: total }]
          const cart = { currency: 'EUR', order_total_with_tax: total, items }
          const body = JSON.stringify(orderBody({ cart }, 'https://shop.example'))
          return (await fetch(`${host.url}/orders`, { method: 'POST', body })).status
        }
        const count = () =>
          Promise.all(tables.map(async (table) => (await query(`select 1 from ${table}`)).length))
        expect(await buy(1)).toBe(409) // plazo refuses it
        expect(await buy(100_001)).toBe(500) // the shop's own table refuses it
        expect([await count(), host.printed()]).toEqual([[0, 0], ''])
        await expectWalk(host)
        expect(await count()).toEqual([2, 2])
      },
    )
  })

  it('docs/hosts/browser-page.md takes an order to its end by its buttons, in a program for browsers', async () => {
    const bundle = await build({
      stdin: {
        contents: programsOf('hosts/browser-page.md', 'js')[0] ?? '',
        resolveDir: project.folder,
        loader: 'js',
      },
      bundle: true,
      platform: 'browser',
      format: 'iife',
      write: false,
      logLevel: 'silent',
    })
    type Element = { textContent: string; onclick?: () => void }
    let elements: readonly Element[] = []
    const document = {
      createElement: (): Element => ({ textContent: '' }),
      body: { replaceChildren: (...children: Element[]) => (elements = children) },
    }
    const browser = { document, crypto, console, TextEncoder, URL, URLSearchParams }
    runInNewContext(bundle.outputFiles[0]?.text ?? '', browser)
    const press = (title: string): void =>
      elements
        .find(({ textContent, onclick }) => onclick && textContent.startsWith(title))
        ?.onclick?.()
    const actions = [
      'submit the form',
      'submit the code',
      'screening.resolved {"outcome":"approved"',
      'submit the form',
      'ipn.accepted',
    ].map((title) => {
      press(title)
      return elements[0]?.textContent
    })
    expect(actions).toEqual([
      'require_validate_otp',
      'wait_for_screening',
      'resume_after_screening',
      'wait_for_confirmation',
      'finish',
    ])
  })
}
