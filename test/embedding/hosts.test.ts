// Runs the hosts of docs/hosts, each exactly as its page has it, through a whole order.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { signStandardWebhook } from '@plazo/adapters/http'
import { build } from 'esbuild'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../harness/ports-and-folders.ts'
import { startReceiver } from '../harness/receiver.ts'
import { PERSON } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const docs = fileURLToPath(new URL('../../docs/hosts', import.meta.url))
// Inside the folder of the tests, so that imports find the packages.
const folder = fileURLToPath(new URL('./generated/hosts', import.meta.url))
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = '0123456789abcdef0123456789abcdef'
const LINES_MAX = 60
const COLUMNS_MAX = 100

const programOf = (page: string): string =>
  /```[jt]s\n([\s\S]*?)```/.exec(readFileSync(join(docs, page), 'utf8'))?.[1] ?? ''

const post = async (url: string, body: unknown) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('docs/hosts/node-http.md', () => {
  const program = programOf('node-http.md')

  it(`has at most ${LINES_MAX} lines of ${COLUMNS_MAX} columns`, () => {
    const lines = program.trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(COLUMNS_MAX)
  })

  it('takes an order from its placement to a signed IPN', async () => {
    const port = await freePort()
    const file = join(folder, 'node-http.ts')
    writeFileSync(file, program)
    const host = spawn(process.execPath, [file], { env: { ...process.env, PORT: String(port) } })
    const ended = new Promise((resolve) => host.once('exit', resolve))
    let printed = ''
    host.stdout.on('data', (text) => {
      printed += text
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    const shop = await startReceiver()
    onTestFinished(() => shop.close())

    const url = `http://127.0.0.1:${port}`
    await waitUntil(() => fetch(url).then(Boolean, () => false))
    const order = {
      merchant: {
        id: 'shop',
        return_url: 'https://shop.example/thanks',
        notify_url: `${shop.url}/ipn`,
      },
      cart: { currency: 'EUR', order_total_with_tax: 9_900, items: [{ total_with_tax: 9_900 }] },
    }
    const orderRef = String((await post(`${url}/orders`, { order })).body)
    const form = {
      ...PERSON,
      acme_privacy_policy_accepted: true,
      credit_agreement: { product: 'pp3', instalment_count: 3 },
    }
    const submit = (fields: object = {}) =>
      post(`${url}/identification/${orderRef}`, { ...form, ...fields })
    expect((await submit()).body.action).toBe('require_validate_otp')
    await waitUntil(() => /\d{5}/.test(printed))
    const [, code] = /: .*?(\d{5})/.exec(printed) ?? []
    await submit({ validation_code: code })
    await waitUntil(async () => (await submit()).body.action === 'require_payment')
    const { iframe_url: page } = (await submit()).body
    expect(await (await fetch(String(page))).text()).toContain('<form method="post">')
    expect((await fetch(String(page), { method: 'POST' })).status).toBe(200)
    await waitUntil(() => shop.received.length > 0)
    const wait = async () => (await fetch(`${url}/wait/${orderRef}`)).json()
    await waitUntil(async () => ((await wait()) as { action: string }).action === 'finish')

    const [ipn] = shop.received
    expect(ipn?.fields).toMatchObject({ order_ref: orderRef, acme_state: 'approved' })
    const id = String(ipn?.headers['webhook-id'])
    const timestamp = Number(ipn?.headers['webhook-timestamp'])
    const message = { id, timestamp, body: ipn?.body ?? '' }
    expect(ipn?.headers['webhook-signature']).toBe(signStandardWebhook([SECRET], message))
    expect((await fetch(`${url}/orders/${orderRef.replaceAll(/\w/g, '0')}`)).status).toBe(404)
    host.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})

describe('docs/hosts/browser-page.md', () => {
  const program = programOf('browser-page.md')

  it('has at most 100 lines of 100 columns', () => {
    const lines = program.trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(100)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(COLUMNS_MAX)
  })

  it('takes an order to its end by its buttons, in a program for browsers', async () => {
    const bundle = await build({
      stdin: { contents: program, resolveDir: folder, loader: 'js' },
      ...{ bundle: true, platform: 'browser', format: 'iife', write: false, logLevel: 'silent' },
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
