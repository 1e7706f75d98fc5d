import { describe, expect, it } from 'vitest'
import { assign, not, or, setup, stateIn } from 'xstate'
import { graphOf, orderGraph } from './graph.ts'
import { arrowsOf, mermaidOf } from './mermaid.ts'

const lamp = graphOf(
  setup({
    types: { events: {} as { type: 'pressed' } | { type: 'dimmed' } },
    guards: { isNight: () => true, isAtHome: (_, _who: { who: string }) => true },
    actions: { count: assign({}), ring: () => {} },
  }).createMachine({
    id: 'lamp',
    initial: 'off',
    states: {
      off: {
        on: {
          pressed: [
            {
              guard: or(['isNight', not({ type: 'isAtHome', params: { who: 'Ada' } })]),
              target: 'on',
            },
            { target: 'dim', actions: ['count', 'ring'] },
          ],
          dimmed: {},
        },
      },
      on: { id: 'on', after: { 300: 'off' } },
      dim: {
        always: { guard: stateIn('#on'), target: 'on' },
        on: { dimmed: { target: 'dim', reenter: true } },
      },
    },
  }),
)

describe('the graph of a machine', () => {
  it('distinguishes transitions that stay in the state from those that enter it again', () => {
    expect(lamp.transitions).toMatchObject([
      { from: 'off', to: 'on', reenter: false },
      { from: 'off', to: 'dim' },
      { from: 'off', to: null, actions: [] },
      { from: 'on', to: 'off' },
      { from: 'dim', trigger: { type: 'always' }, to: 'on' },
      { from: 'dim', to: 'dim', reenter: true },
    ])
  })

  it('distinguishes assignments, effects and raised events', () => {
    expect(lamp.transitions[1]?.actions.map(({ type }) => type)).toEqual(['assignment', 'effect'])
    expect(orderGraph.states.find(({ id }) => id === 'checkout.confirmed')?.entry).toEqual([
      { name: 'recordConfirmation', type: 'assignment', params: {} },
      { name: 'announceConfirmation', type: 'raise', params: {}, event: 'order.confirmed' },
      { name: 'monitorRisk', type: 'effect', params: {} },
    ])
  })
})

it('Mermaid draws the whole machine, or one region of it', () => {
  expect(mermaidOf(lamp).split('\n')).toEqual([
    'stateDiagram-v2',
    '  state "lamp" as lamp {',
    '    [*] --> off',
    '    state "off" as off',
    '    state "on" as on',
    '    state "dim" as dim',
    '  }',
    '  off --> on : pressed [isNight or not (isAtHome Ada)]',
    '  off --> dim : pressed [otherwise]',
    '  on --> off : after 300 ms',
    '  dim --> on : [in on]',
    '  dim --> dim : dimmed',
    '',
  ])
  const risk = mermaidOf(orderGraph, 'risk')
  expect(risk.match(/(?<=^ {2}state ")\w+/gm)).toEqual(['risk'])
  for (const { from, to } of arrowsOf(orderGraph).filter(({ from }) => from.startsWith('risk.')))
    expect(risk).toContain(`${from} --> ${to} :`.replaceAll('.', '_'))
  expect(risk).not.toContain('checkout_')
})
