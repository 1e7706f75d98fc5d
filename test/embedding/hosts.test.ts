// Runs the hosts of docs/hosts, each exactly as its page has it. Each must send its merchant what the
// bundled server sends.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { serve } from '@plazo/server'
import Sqlite from 'better-sqlite3'
import { build } from 'esbuild'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { pathOfTest } from '../harness/path-of-test.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { queryPostgres } from '../harness/postgres.ts'
import { freshDatabase } from '../harness/postgres-storage.ts'
import { startReceiver } from '../harness/receiver.ts'
import { aKeyNamed } from '../harness/secret-keys.ts'
import { basic, CARD, DEMO, orderBody } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { type WalkedHost, walk } from './walk.ts'

const docs = fileURLToPath(new URL('../../docs/hosts', import.meta.url))
// Inside the folder of the tests, so that imports find the packages.
const folder = fileURLToPath(new URL('./generated/hosts', import.meta.url))
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const COLUMNS_MAX = 100

const programOf = (page: string): string =>
  /```[jt]s\n([\s\S]*?)```/.exec(readFileSync(join(docs, page), 'utf8'))?.[1] ?? ''

const expectLines = (program: string, linesMax: number): void => {
  const lines = program.trim().split('\n')
  expect(lines.length).toBeLessThanOrEqual(linesMax)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(COLUMNS_MAX)
}

/** Runs the program of a page in a process of its own, beside a shop. */
const startHost = async (name: string, program: string, environment: object = {}) => {
  const [port, shop] = [await freePort(), await startReceiver()]
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, program)
  const env = { ...process.env, ...environment, PORT: String(port) }
  const child = spawn(process.execPath, [file], { env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await shop.close()
  })
  let printed = ''
  child.stdout.on('data', (text) => {
    printed += text
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntil(() => fetch(url).then(Boolean, () => false))
  const stop = async () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, shop, printed: () => printed, stop }
}

describe('the bundled server', () => {
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

  it('sends its merchant the requests that each host must send', async () => {
    await expect(await walk(await startBundledServer())).toMatchFileSnapshot('walk-record.txt')
  })
})

/** The host takes requests by the routes of node-http.md. It is stopped. */
const expectWalk = async (host: Awaited<ReturnType<typeof startHost>>): Promise<void> => {
  await expect(await walk(host)).toMatchFileSnapshot('walk-record.txt')
  expect((await fetch(`${host.url}/orders/${crypto.randomUUID()}`)).status).toBe(404)
  expect(await host.stop()).toBe(0)
}

describe('docs/hosts/node-http.md', () => {
  const program = programOf('node-http.md')

  it(`has at most 60 lines of ${COLUMNS_MAX} columns`, () => {
    expectLines(program, 60)
  })

  it('sends its merchant what the bundled server sends', async () => {
    await expectWalk(await startHost('node-http', program))
  })
})

/** Each commits an order in one transaction with a row of its own. `tables`: its own comes first. */
const SHOPS = [
  {
    page: 'hono.md',
    open: async () => {
      const path = pathOfTest('shop.db')
      const query = async (sql: string) => {
        const database = new Sqlite(path)
        const rows = database.prepare(sql).all()
        database.close()
        return rows
      }
      return { environment: { DATABASE: path }, query }
    },
    tables: ['baskets', 'plazo_orders'],
  },
  {
    page: 'express.md',
    open: async () => {
      const { url, drop } = await freshDatabase()
      const query = (sql: string) => queryPostgres(url, sql)
      onTestFinished(async () => {
        await query('drop table baskets')
        await drop()
      })
      return { environment: { DATABASE_URL: url }, query }
    },
    tables: ['baskets', 'plazo.orders'],
  },
]

describe.each(SHOPS)('docs/hosts/$page', ({ page, open, tables }) => {
  const program = programOf(page)

  it(`has at most 85 lines of ${COLUMNS_MAX} columns`, () => {
    expectLines(program, 85)
  })

  it('commits an order with its basket or neither, and sends its merchant what the bundled server sends', async () => {
    const { environment, query } = await open()
    const settings = { ...environment, SECRET_KEY: aKeyNamed('first') }
    const host = await startHost(page.replace('.md', ''), program, settings)
    const buy = async (total: number) => {
      const items = [{ total_with_tax: total }]
      const cart = { currency: 'EUR', order_total_with_tax: total, items }
      const body = JSON.stringify(orderBody({ cart }, 'https://shop.example'))
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${host.url}/orders`, { method: 'POST', headers, body })).status
    }
    const count = () =>
      Promise.all(tables.map(async (table) => (await query(`select 1 from ${table}`)).length))
    expect(await buy(1)).toBe(409) // plazo refuses it
    expect(await buy(100_001)).toBe(500) // the shop's own table refuses it
    expect([await count(), host.printed()]).toEqual([[0, 0], ''])
    await expectWalk(host)
    expect(await count()).toEqual([2, 2])
  })
})

describe('docs/hosts/browser-page.md', () => {
  const program = programOf('browser-page.md')

  it('has at most 100 lines of 100 columns', () => {
    expectLines(program, 100)
  })

  it('takes an order to its end by its buttons, in a program for browsers', async () => {
    const bundle = await build({
      stdin: { contents: program, resolveDir: folder, loader: 'js' },
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
})
