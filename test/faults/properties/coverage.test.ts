// Checks that the random histories reach the whole machine: all states and transitions, and every
// guard both ways. Laws prove nothing about parts that they never reach.
import { memoryStore } from '@plazo/adapters/memory'
import {
  act,
  alongShortestPaths,
  type HarnessOptions,
  machineCoverage,
  openHarness,
  performAct,
} from '@plazo/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const SETTINGS: readonly HarnessOptions[] = [{}, { hasIpn: false, hasEvents: false }]
const HISTORIES = 60

const openHarnessWith = (setting: HarnessOptions) => openHarness(memoryStore(), setting)

describe('the machine', () => {
  it('is covered completely: each state, each transition, each guard both ways', async () => {
    const coverage = machineCoverage()
    for (const acts of fc.sample(
      fc.array(act, { minLength: 40, maxLength: 60, size: 'max' }),
      HISTORIES,
    )) {
      const harness = await openHarnessWith({})
      for (const each of acts) await performAct(harness, each)
      coverage.recordTrace(harness.trace())
    }
    for (const setting of SETTINGS) {
      const { host, order } = await openHarnessWith(setting)
      const { terms } = host
      alongShortestPaths((await order()).placed, terms, ({ before, event, stepInput, result }) =>
        coverage.note(before, event, stepInput, terms.rules, result.order),
      )
    }
    expect(coverage.missing()).toEqual({ states: [], transitions: [], guards: [] })
  })

  it('names what the histories have not covered', async () => {
    const coverage = machineCoverage()
    const harness = await openHarnessWith({})
    await performAct(harness, {
      type: 'submit',
      who: 'Ana',
      code: 'none',
      product: null,
      wrongField: null,
    })
    coverage.recordTrace(harness.trace())
    const { states, transitions, guards } = coverage.missing()
    const all = coverage.counts()
    expect(states).toContain('checkout screening')
    expect(states).toHaveLength(all.states - 4)
    expect(transitions).not.toContain('checkout.open.identifying person.submitted 0')
    expect(transitions).toHaveLength(all.transitions - 2)
    expect(guards).toContain('anotherCodeMayBeSent always held')
    expect(guards).toContain('codeIsRight never held')
  })
})
