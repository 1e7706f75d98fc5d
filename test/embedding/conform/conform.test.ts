// Judges the checker of servers: it must name each planted fault, and accept a server without one.
import type { Conformance, ReceivedRequest } from '@plazo/core/internal/testing'
import { conform } from '@plazo/core/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { openCheckReceiver } from '../../../packages/server/src/cli/conform-receiver.ts'
import { commandLine } from '../../harness/command-line.ts'
import { DEMO } from '../../harness/shop.ts'
import { FAULTS, type Fault, journeysOf } from './faults.ts'
import { startProxy } from './proxy.ts'

const proxy = await startProxy()
afterAll(proxy.close)

const conformanceOf = async (fault: Fault): Promise<Conformance> => {
  proxy.plant(fault.edit ?? ((answer) => answer))
  const receiver = await openCheckReceiver()
  const receive = fault.receive ?? ((request: ReceivedRequest) => [request])
  try {
    return await conform(
      {
        url: proxy.url,
        merchant: DEMO,
        now: Date.now,
        isSandbox: true,
        operatorPassword: 'operator',
        receiver: { ...receiver, received: () => receiver.received().flatMap(receive) },
      },
      journeysOf(fault),
    )
  } finally {
    await receiver.close()
  }
}

describe('a server behind a proxy', () => {
  it('without a fault has no violation', async () => {
    const { violations, checked } = await conformanceOf({ demand: '' })
    expect(violations).toEqual([])
    expect(checked.length).toBeGreaterThan(35)
  })

  it('is reported to a person, with the request, its answer and the section', async () => {
    proxy.plant(FAULTS['a placed order is answered 201']?.edit ?? ((answer) => answer))
    const words = ['conform', '--url', proxy.url, '--merchant', 'demo', '--password', 'demo']
    const { code, stdout } = await commandLine({}).run(...words, '--no-receiver')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^WRONG {2}a placed order is 204, .* \(Contract §3\)$/m)
    expect(stdout).toContain('  The status is 201, and should be 204.\nPOST /orders {"order":')
    expect(stdout).toContain('\n→ 201\n  seen in: single requests\n')
    expect(stdout).toContain('Without a receiver, no request to the merchant was checked.')
    expect(stdout).toMatch(/Violated rules: 1\.\n$/)
  })

  it.each(Object.entries(FAULTS))('is told that %s', async (_, fault) => {
    const { violations } = await conformanceOf(fault)
    expect(violations.map(({ clause }) => clause)).toContainEqual(
      expect.stringContaining(fault.demand),
    )
  })
})
