// Runs the programs of the embedding guide unchanged, so that the guide stays correct.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  awaitOutcome,
  type CheckUrl,
  type DueEffectHandlers,
  type Host,
  type Merchants,
  type Providers,
  placeOrder,
  reply,
  type runDueEffects,
  submitIdentification,
} from '@plazo/core'
import { aMerchant, terms, unwrap } from '@plazo/core/testing/contracts'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderBody, PERSON } from '../harness/shop.ts'
import { temporaryPath } from '../harness/temporary-path.ts'

const guide = fileURLToPath(new URL('../../docs/embedding.md', import.meta.url))
const folder = fileURLToPath(new URL('./generated/embedding', import.meta.url))

const programs = [...readFileSync(guide, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program)
const [checkout = ''] = programs

beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the program in docs/embedding.md', () => {
  it('takes a checkout from its first submission to finish', () => {
    writeFileSync(`${folder}/checkout.ts`, checkout)
    const printed = execFileSync(process.execPath, [`${folder}/checkout.ts`], { encoding: 'utf8' })
    expect([...printed.matchAll(/action: '(\w+)'/g)].map(([, action]) => action)).toEqual([
      'require_validate_otp',
      'wait_for_screening',
      'wait_for_confirmation',
      'finish',
    ])
  })

  it('has about sixty lines, including blank ones, and fits on a page', () => {
    const lines = checkout.trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(64)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  })
})

type OpenedHost = {
  readonly host: Host
  readonly merchants: Merchants
  readonly guard: { readonly checkUrl: CheckUrl; readonly checkPage: CheckUrl }
  readonly now: ReturnType<typeof runDueEffects>
  readonly close: () => Promise<void>
}

it('the host of docs/embedding.md with a database file continues where it was closed', async () => {
  writeFileSync(`${folder}/host.ts`, programs.find((program) => program.includes('openSqlite(')) ?? '')
  const { openHost } = await import(`${folder}/host.ts`)
  const { path, remove } = temporaryPath('plazo.db')
  const texts: string[] = []
  const send: Providers['sms']['send'] = ({ key }) => {
    texts.push(key)
    return TE.right(reply(null))
  }
  const performers = { providers: { sms: { send } } } as unknown as DueEffectHandlers
  const open = (): OpenedHost => openHost(path, terms, performers)

  const before = open()
  await unwrap(before.merchants.add(aMerchant()))
  const place = placeOrder(before.host, before.guard.checkUrl, before.guard.checkPage)
  expect(await place(aMerchant(), orderBody())()).toMatchObject({ left: { _tag: 'Refused' } })
  const orderRef = await unwrap(place(aMerchant(), orderBody({}, 'https://shop.example')))
  await unwrap(submitIdentification(before.host)(orderRef, PERSON))
  await before.close()

  const after = open()
  await unwrap(after.now)
  expect(texts).toHaveLength(1)
  expect(await unwrap(awaitOutcome(after.host)(orderRef))).toMatchObject({ action: 'require_validate_otp' })
  await after.close()
  remove()
})
