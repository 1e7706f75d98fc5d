// Every page in every state, for the browser matrix. A new page or state is one more line here.
import { agreement, type stagesOf, surnames } from '../e2e/stages.ts'

type Stages = ReturnType<typeof stagesOf>

type PageState = {
  readonly name: string
  /** Brings an order into the state, and resolves to the path of the page. */
  readonly reach: (stages: Stages) => Promise<string>
  /** True: the gate visits it too, at one width. */
  readonly isInGate?: boolean
}

const checkout = async (order: Promise<string>): Promise<string> => `/orders/${await order}/form_v2`
const machine = async (order: Promise<string>): Promise<string> => `/machine/orders/${await order}`

const fixedPage = (name: string, path: string): PageState => ({ name, reach: async () => path })

/** The checkout of an order with these surnames, after its screening ended. */
const trigger = (text: string): PageState => ({
  name: `the checkout of “${text}”`,
  reach: (stages) => checkout(stages.settled(surnames(text))),
})

export const PAGE_STATES: readonly PageState[] = [
  { name: 'the checkout of a new order', reach: ({ identified }) => checkout(identified()), isInGate: true },
  {
    name: 'the checkout during screening',
    reach: ({ proven }) => checkout(proven(surnames('expiry event'))),
    isInGate: true,
  },
  { name: 'the checkout after screening', reach: ({ screened }) => checkout(screened()) },
  {
    name: 'the checkout that awaits a payment',
    reach: ({ revealed }) => checkout(revealed(agreement('fp1')).then(({ ref }) => ref)),
    isInGate: true,
  },
  {
    name: 'the card form',
    reach: async ({ revealed }) => new URL(String((await revealed(agreement('fp1'))).action.iframe_url)).pathname,
  },
  ...[
    'review event',
    'denial event',
    'alternative event',
    'identity event',
    'unverified event',
    'expiry event',
    'failure event',
  ].map(trigger),
  { name: 'an order on the statechart', reach: ({ settled }) => machine(settled()), isInGate: true },
  { name: 'a paid order on the statechart', reach: ({ paid }) => machine(paid()) },
  fixedPage('the statechart', '/machine'),
  fixedPage('the privacy page', '/privacy'),
  fixedPage('the sandbox’s front page', '/'),
  fixedPage('the sandbox’s test data', '/sandbox/triggers'),
  fixedPage('the sandbox’s SMS', '/sandbox/messages'),
  fixedPage('the sandbox’s clock', '/sandbox/clock'),
  fixedPage('the sandbox’s webhooks', '/sandbox/demo/inbox'),
]
