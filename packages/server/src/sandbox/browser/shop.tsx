// The sandbox's front page: a newcomer buys in the demo shop, and sees the order's statechart and
// everything that happens next to it.
import '@plazo/server/internal/machine-element'
import { euros, hear, orderName, orderStateWords } from '@plazo/server/internal/browser'
import { useEffect, useRef } from 'hono/jsx/dom'
import { DEMO_CART, DEMO_PEOPLE } from '../demo-people.ts'
import { Checkout, stepOf } from './checkout.tsx'
import { PRODUCTS } from './choices.ts'
import { AnswerChoice, Button, Choice, OrderLink } from './parts.tsx'
import { choosePerson, post, seek, shopUrls, show, state, update, urlOf } from './state.tsx'
import { Timeline } from './timeline.tsx'

let isPlacing = false

const buy = async (): Promise<void> => {
  if (isPlacing) return
  isPlacing = true
  const order = { product: state.product, shop: shopUrls() }
  const placed = await post<{ readonly order_ref: string }>('sandbox/demo/orders', order)
  isPlacing = false
  if (placed !== null) show(placed.order_ref)
}

const Buy = () => {
  const total = DEMO_CART.reduce((sum, { total_with_tax }) => sum + total_with_tax, 0)
  return (
    <>
      <Choice
        legend={`Who buys for ${euros(total)}?`}
        options={DEMO_PEOPLE.map(({ surnames, name, outcome }) => [surnames, name, outcome])}
        chosen={state.person.surnames}
        onChoose={choosePerson}
      />
      <Choice
        legend="How do they pay?"
        options={PRODUCTS}
        chosen={state.product}
        onChoose={(product) => update({ product })}
      />
      <AnswerChoice />
      <Button class="main" onClick={buy}>
        Go to the checkout
      </Button>
    </>
  )
}

const Shop = () => {
  const { order, timeline } = state
  const step = timeline && stepOf(timeline)
  return (
    <section class="card" id="shop" aria-labelledby="shop-title">
      <header>
        <h2 id="shop-title">The shop</h2>
        <span class="quiet" id="order-name">
          {timeline && `${orderName(timeline.order)} · ${euros(timeline.order.amount.value)}`}
        </span>
      </header>
      <div id="hint" hidden={step === null}>
        <b>{step?.[0]}</b>
        <div>{step?.[1]}</div>
      </div>
      <div class="body">
        {order === null ? (
          <Buy />
        ) : (
          <>
            <Checkout order={order} />
            <Button onClick={() => show(null)}>Another purchase</Button>
          </>
        )}
      </div>
    </section>
  )
}

const Picture = () => {
  const { order, lines, at } = state
  const machine = useRef<HTMLElement & { journal: unknown }>(null)
  useEffect(() => {
    if (machine.current !== null) machine.current.journal = lines
  }, [lines])
  return (
    <section class="card" id="machine" aria-labelledby="machine-title">
      <header>
        <h2 id="machine-title">Where the order is</h2>
        <a href={urlOf(order === null ? 'machine' : `machine/orders/${order}`)}>Whole statechart</a>
      </header>
      <plazo-machine ref={machine} runs={urlOf('sandbox/demo/')} at={at} />
    </section>
  )
}

const Recent = () => (
  <div hidden={!state.demo?.orders.length}>
    <h3>Recent orders</h3>
    <ul id="recent">
      {state.demo?.orders.slice(0, 5).map(({ order_ref, amount, state: states }) => (
        <li>
          <OrderLink order={order_ref} />{' '}
          <span class="quiet">
            {euros(amount.value)} · {orderStateWords(states)}
          </span>
        </li>
      ))}
    </ul>
  </div>
)

const Happenings = () => (
  <section class="card" id="timeline" aria-labelledby="timeline-title">
    <header>
      <h2 id="timeline-title">What happens</h2>
    </header>
    {state.timeline ? (
      <Timeline timeline={state.timeline} />
    ) : (
      <div class="body">
        <p>
          Go to the checkout. The data is filled in, and the SMS code and test cards appear when
          they are needed. Watch each request, SMS and signed webhook here, and move the clock to
          see what comes later.
        </p>
        <Recent />
      </div>
    )}
  </section>
)

export const FrontPage = () => (
  <div class="panes">
    <Shop />
    <Picture />
    <Happenings />
  </div>
)

hear<{ readonly seq: number; readonly isFollowing: boolean }>(
  document,
  'plazo-line',
  ({ seq, isFollowing }) => seek(isFollowing ? null : seq),
)
hear<{ readonly order_ref: string; readonly trigger: string }>(
  document,
  'plazo-placed',
  ({ order_ref, trigger }, event) => {
    event.preventDefault()
    choosePerson(trigger)
    show(order_ref)
  },
)
