import { describe, expect, it } from 'vitest'
import { setup } from 'xstate'
import { graphOf } from './graph.ts'
import { orderGraph } from './index.ts'
import { scxmlOf } from './scxml.ts'

const scxml = scxmlOf(orderGraph)

const values = (attribute: string): readonly string[] =>
  [...scxml.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].flatMap(([, value]) => value ?? [])

describe('the statechart in SCXML', () => {
  it('closes every element in the order in which it was opened', () => {
    const open: string[] = []
    for (const [, closing, tag, , empty] of scxml.matchAll(/<(\/?)([a-z]+)((?:\s[\w:]+="[^"<]*")*)(\/?)>/g)) {
      if (closing === '/') expect(open.pop()).toBe(tag)
      else if (empty === '') open.push(tag ?? '')
    }
    expect(open).toEqual([])
  })

  it('gives each state a unique id that is a valid XML name', () => {
    const ids = values('id')
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z_][\w.-]*$/)
  })

  it('refers only to existing ids', () => {
    const ids = values('id')
    const asked = [...scxml.matchAll(/In\('([^']+)'\)/g)].flatMap(([, id]) => id ?? [])
    for (const target of [...values('target'), ...values('initial'), ...asked]) expect(ids).toContain(target)
  })

  it('starts a timer on entry, cancels it on exit, and handles its event', () => {
    const timer = 'after.screeningWindow.checkout.open.proving.screening'
    expect(scxml).toContain(`<send id="${timer}" event="${timer}" delayexpr="screeningWindow()"/>`)
    expect(scxml).toContain(`<cancel sendid="${timer}"/>`)
    expect(scxml).toContain(`<transition event="${timer}" target="checkout.open.proving.screened">`)
  })

  it('stays inside a box whose own transition leads inward, and leaves a state that is entered again', () => {
    expect(scxml).toContain(
      '<transition event="person.changed" target="checkout.open.proving.askingForCode" type="internal">',
    )
    expect(scxml).toContain(
      '<transition event="payment.failed" cond="anotherPaymentMayBeTried()" target="checkout.open.proving.paying">',
    )
  })

  it('uses the matching elements for effects, assignments and raised events', () => {
    expect(scxml).toContain('<script>recordConfirmation()</script>')
    expect(scxml).toContain('<raise event="order.confirmed"/>')
    expect(scxml).toContain('<send type="effect" event="monitorRisk"/>')
    expect(scxml).toContain(`<param name="event" expr="'denied'"/>`)
  })

  it('escapes what has a meaning in XML or ECMAScript', () => {
    const awkward = setup({ guards: { is: (_, _it: { it: string }) => true } }).createMachine({
      id: 'awkward',
      initial: 'a',
      states: { a: { on: { go: { guard: { type: 'is', params: { it: `<"it's">` } } } } } },
    })
    expect(scxmlOf(graphOf(awkward))).toContain(`cond="is('&lt;&quot;it\\'s&quot;&gt;')"`)
  })
})
