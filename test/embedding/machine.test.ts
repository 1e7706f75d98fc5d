// XState's own tools must accept plazo's machine: these tests run the program of docs/machine/README.md unchanged, and restore
// an order as a snapshot.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryStore } from '@plazo/adapters/memory'
import { machineInput, machineValue, orderMachine } from '@plazo/core'
import { openShop } from '@plazo/core/testing/contracts'
import { afterAll, expect, it } from 'vitest'
import { createActor } from 'xstate'

const guide = fileURLToPath(new URL('../../docs/machine/README.md', import.meta.url))
const folder = fileURLToPath(new URL('./generated', import.meta.url))

afterAll(() => rmSync(`${folder}/machine.ts`, { force: true }))

it('the program in docs/machine follows an actor of the machine', () => {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? []
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/machine.ts`, program)
  const printed = execFileSync(process.execPath, [`${folder}/machine.ts`], { encoding: 'utf8' })
  const [first, ...others] = printed.trim().split('\n')
  expect(first).toContain('identifying')
  expect(others.map((line) => line.match(/verifyingPhone|screening/)?.[0])).toEqual(['verifyingPhone', 'screening'])
})

it('an order can be restored as a snapshot and continued', async () => {
  const shop = openShop(memoryStore({ realNow: () => shop.now() }))
  const orderRef = await shop.place()
  await shop.leadToConfirmation(orderRef)
  const order = await shop.read(orderRef)
  const stepInput = { at: shop.now(), random: shop.host.ids.random(), referenceIsTaken: false }
  const context = machineInput(shop.host.terms)(order, stepInput)
  const snapshot = orderMachine.resolveState({ value: machineValue(order.state), context })
  expect(snapshot.can({ type: 'merchant.confirmed' })).toBe(true)
  expect(snapshot.can({ type: 'review.approved' })).toBe(false)
  const actor = createActor(orderMachine, { snapshot, input: context }).start()
  actor.send({ type: 'merchant.confirmed' })
  actor.stop()
  expect(actor.getSnapshot().value).toEqual(machineValue((await shop.putConfirmed(orderRef)).state))
})
