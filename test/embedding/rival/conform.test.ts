// Judges the checker of servers: it must name the faults of a rival, and accept one without a fault.
import { type Conformance, conform } from '@plazo/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCheckReceiver } from '../../../packages/server/src/cli/conform-receiver.ts'
import { commandLine } from '../../harness/command-line.ts'
import { FAULTS, type Fault } from './faults.ts'
import { startRival } from './rival.ts'

const conformanceOf = async (fault: Fault | null): Promise<Conformance> => {
  const [rival, receiver] = await Promise.all([startRival(fault), openCheckReceiver()])
  onTestFinished(async () => {
    rival.close()
    await receiver.close()
  })
  return conform({
    url: rival.url,
    merchant: { ref: 'rival', username: 'rival', password: 'rival' },
    now: Date.now,
    isSandbox: true,
    operatorPassword: 'operator',
    receiver,
  })
}

describe('a rival server', () => {
  it('without a fault has no violation', async () => {
    const { violations, checked, notTaken } = await conformanceOf(null)
    expect(violations).toEqual([])
    expect(checked.length).toBeGreaterThan(35)
    expect(notTaken).toContain('paid by 3-D Secure')
  })

  it('is reported to a person, with the request, its answer and the section', async () => {
    const rival = await startRival('a placed order is answered 201')
    onTestFinished(rival.close)
    const words = ['conform', '--url', rival.url, '--merchant', 'rival', '--password', 'rival']
    const { code, stdout } = await commandLine({}).run(...words, '--no-receiver')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^WRONG {2}a placed order is 204, .* \(Contract §3\)$/m)
    expect(stdout).toContain('  The status is 201, and should be 204.\nPOST /orders {"order":')
    expect(stdout).toContain('\n→ 201\n  seen in: single requests\n')
    expect(stdout).toContain('Without a receiver, no request to the merchant was checked.')
    expect(stdout).toMatch(/Violated rules: 1\.\n$/)
  })

  for (const [fault, demand] of Object.entries(FAULTS))
    it(`is told that ${fault}`, async () => {
      const { violations } = await conformanceOf(fault as Fault)
      const demands = violations.map(({ section, clause, exchange }) => [section, clause, exchange])
      expect(demands.filter(([, clause]) => clause?.includes(demand))).not.toEqual([])
    })
})
