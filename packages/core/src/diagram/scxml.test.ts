import { expect, it } from 'vitest'
import { setup } from 'xstate'
import { graphOf } from './graph.ts'
import { scxmlOf } from './scxml.ts'

it('the statechart in SCXML escapes what has a meaning in XML or ECMAScript', () => {
  const awkward = setup({ guards: { is: (_, _it: { it: string }) => true } }).createMachine({
    id: 'awkward',
    initial: 'a',
    states: { a: { on: { go: { guard: { type: 'is', params: { it: `<"it's">` } } } } } },
  })
  expect(scxmlOf(graphOf(awkward))).toContain(`cond="is('&lt;&quot;it\\'s&quot;&gt;')"`)
})
