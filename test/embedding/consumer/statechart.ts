// Compiles a machine that is made by the project's own copy of xstate, which may be another one
// than that of @plazo/core. Prints which of its guards let an event through, and steps an order's
// changed statechart.
import { compile, type OrderMachine, orderMachine } from '@plazo/core/machine'
import { and, not, or, setup, stateIn } from 'xstate'

const machine = setup({
  types: {
    context: {} as { readonly paid: boolean; readonly late: boolean },
    events: {} as { readonly type: 'all' | 'any' | 'none' | 'inState' | 'nested' | 'shipped' },
  },
  guards: { isPaid: ({ context }) => context.paid, isLate: ({ context }) => context.late },
}).createMachine({
  id: 'parcel',
  type: 'parallel',
  context: { paid: false, late: false },
  states: {
    place: { initial: 'store', states: { store: { on: { shipped: 'road' } }, road: {} } },
    answer: {
      initial: 'open',
      states: {
        open: {
          on: {
            all: { guard: and(['isPaid', 'isLate']), target: 'yes' },
            any: { guard: or(['isPaid', 'isLate']), target: 'yes' },
            none: { guard: not('isPaid'), target: 'yes' },
            inState: { guard: stateIn('#parcel.place.road'), target: 'yes' },
            nested: {
              guard: and([not(or(['isPaid', 'isLate'])), stateIn({ place: 'store' })]),
              target: 'yes',
            },
          },
        },
        yes: {},
      },
    },
  },
})

const compiled = compile(machine)
for (const paid of [true, false])
  for (const late of [true, false]) {
    const begun = compiled.initial({ paid, late })
    const shipped = compiled.transition(begun, { type: 'shipped' })
    const events = (['all', 'any', 'none', 'inState', 'nested'] as const).flatMap((type) =>
      [begun, shipped].map((from) =>
        compiled.transition(from, { type }).leaves.some(({ key }) => key === 'yes'),
      ),
    )
    // The context keeps its type.
    const context: { readonly paid: boolean; readonly late: boolean } = shipped.context
    console.log(JSON.stringify(context), events.map((isTaken) => (isTaken ? 'y' : 'n')).join(''))
  }

const changed: OrderMachine = compile(orderMachine.provide({ delays: { idResult: () => 10_000 } }))
console.log(changed.nodeAt(['checkout']).key)
