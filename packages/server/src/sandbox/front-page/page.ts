// The sandbox's front page: a newcomer buys in the demo shop, and sees the order's statechart and
// everything that happens next to it. Without a script it still says how to begin.

import { SANDBOX_CODE, TEST_CARDS } from '@plazo/adapters/sandbox'
import { CATALOGUE } from '@plazo/core/protocol'
import { euros, type Markup } from '@plazo/server/internal'
import { html } from 'hono/html'
import { DEMO_PEOPLE, type DemoPerson } from '../demo-people.ts'
import { answerChoice } from '../webhooks/answer-choice.ts'

type FrontPage = {
  readonly baseUrl: string
  /** The surnames of the person who is chosen first; null: the first person. */
  readonly chosen: string | null
  readonly cart: readonly { readonly name: string; readonly total_with_tax: number }[]
  readonly secret: string
  /** True: the operator has the password that everybody knows. */
  readonly isConsoleOpen: boolean
}

/** Placed at the end of the bar at the top. */
export const clockControls =
  (): Markup => html`<div class="clock" role="group" aria-label="Clock of the sandbox">
<time id="now"></time>
<button type="button" class="next" id="next-timer">Next timer</button>
<button type="button" data-seconds="3600">+1 h</button>
<button type="button" data-seconds="604800">+1 week</button>
</div>`

const personChip = (
  { surnames, name, fate, outcome, product }: DemoPerson,
  isChosen: boolean,
): Markup =>
  html`<label class="chip"><input type="radio" name="person" value="${surnames}" data-name="${name}" data-outcome="${outcome}" data-product="${product ?? ''}"${
    isChosen ? html` checked` : ''
  }>${name}<span class="quiet">· ${fate}</span></label>`

const people = (chosen: string | null): Markup => {
  const match = DEMO_PEOPLE.find(
    ({ surnames }) => surnames.toLowerCase() === chosen?.trim().toLowerCase(),
  )
  const first = match ?? DEMO_PEOPLE[0]
  return html`<fieldset>
<legend>Who is buying? Each person takes another path.</legend>
<div class="chips">${DEMO_PEOPLE.map((person) => personChip(person, person === first))}</div>
<p class="outcome" id="outcome">${first?.outcome ?? ''}</p>
</fieldset>`
}

const products = (): Markup => html`<fieldset>
<legend>How do they pay?</legend>
<div class="chips">${CATALOGUE.map(
  ({ code, text }) =>
    html`<label class="chip"><input type="radio" name="product" value="${code}" data-name="${text.en.title}" data-outcome="${text.en.longTitle}."${code === 'pp3' ? html` checked` : ''}>${text.en.title}</label>`,
)}</div>
<p class="outcome" id="product-outcome"></p>
</fieldset>`

const cartTable = ({ cart }: FrontPage): Markup => html`<table class="cart">
<tbody>
${cart.map(({ name, total_with_tax }) => html`<tr><th scope="row">${name}</th><td>${euros(total_with_tax)}</td></tr>`)}
<tr><th scope="row">Total</th><td>${euros(cart.reduce((sum, { total_with_tax }) => sum + total_with_tax, 0))}</td></tr>
</tbody>
</table>`

const answers = ({ baseUrl }: FrontPage): Markup => html`<fieldset class="answers">
<legend><label for="answers">How does the shop answer its IPN?</label></legend>
${answerChoice(`${baseUrl}/demo`)}
<p class="outcome" id="answers-outcome"></p>
</fieldset>`

const shop = (
  page: FrontPage,
): Markup => html`<section class="pane" id="shop" aria-labelledby="shop-title">
<header><h2 id="shop-title">The shop, as <span id="shopper">Ana</span> sees it</h2><span class="quiet" id="order-name"></span></header>
<div id="hint"></div>
<div class="body">
<form id="choose">
<noscript><p class="lead">This page needs JavaScript. Without it, place an order with the commands below.</p></noscript>
<p class="lead">Choose a shopper and buy. You fill in the checkout as they would, and watch the order next to it.</p>
${people(page.chosen)}
${products()}
${answers(page)}
${cartTable(page)}
<div class="foot"><button class="main" id="buy" disabled>Go to the checkout</button></div>
</form>
<div id="buying" hidden>
<div id="checkout"></div>
<div class="under"><button type="button" id="again">Another purchase</button></div>
</div>
</div>
</section>`

const machine =
  (): Markup => html`<section class="pane" id="machine" aria-labelledby="machine-title">
<header><h2 id="machine-title">The order’s statechart</h2><a class="quiet" id="machine-link" href="machine">Open alone</a></header>
<div class="body" id="machine-body"><plazo-machine runs="sandbox/demo/"></plazo-machine></div>
</section>`

const timeline =
  (): Markup => html`<section class="pane" id="timeline" aria-labelledby="timeline-title">
<header><h2 id="timeline-title">What happens</h2><span class="quiet">requests · webhooks · SMS</span></header>
<div class="body">
<div id="before" class="body">
<p class="lead">No order yet.</p>
<ol class="steps">
<li>Choose a shopper, and go to the checkout.</li>
<li>Fill it in. Their data is there already; the SMS code and test cards appear when they are needed.</li>
<li>Watch each request, SMS and signed webhook here. The webhook IPN asks the shop to accept the order.</li>
<li>Move the clock to reach what happens later.</li>
<li>Or select any state of the statechart, and press “Run it”: an order is brought there for you.</li>
</ol>
<div id="recent"></div>
</div>
<plazo-timeline id="events" hidden></plazo-timeline>
</div>
</section>`

const copyable = (text: string): Markup =>
  html`<div class="code"><pre tabindex="0">${text}</pre><button type="button" data-copy>Copy</button></div>`

const connect = ({
  baseUrl,
  secret,
  isConsoleOpen,
}: FrontPage): Markup => html`<details class="more">
<summary>Connect your own shop: credentials, test data and commands</summary>
<div class="columns">
<section>
<h3>Credentials (HTTP Basic)</h3>
<table>
<thead><tr><th scope="col">account</th><th scope="col">username</th><th scope="col">password</th></tr></thead>
<tbody>
<tr><td>merchant</td><td><code>demo</code></td><td><code>demo</code></td></tr>
<tr><td>operator</td><td><code>operator</code></td><td>${
  isConsoleOpen ? html`<code>operator</code>` : 'the value of OPERATOR_PASSWORD'
}</td></tr>
</tbody>
</table>
<p>Signing secret of demo: <code>${secret}</code></p>
<p>SMS code: <code>${SANDBOX_CODE}</code> always works.</p>
<table>
<thead><tr><th scope="col">test card</th><th scope="col">result</th></tr></thead>
<tbody>${TEST_CARDS.map(({ number, does }) => html`<tr><td><code>${number}</code></td><td>${CARD_WORDS[does]}</td></tr>`)}</tbody>
</table>
</section>
<section>
<h3>Connect a real shop</h3>
<ol class="steps">
<li>Place orders with the credentials of demo, and give your own <code>notify_url</code> and <code>events_webhook</code>.</li>
<li>Show <code>/orders/&lt;uuid&gt;/form_v2</code> to the shopper, or use <code>&lt;plazo-checkout&gt;</code>.</li>
<li>Check the signature of each webhook. Answer an IPN with 200 to accept the order.</li>
</ol>
<p><a href="docs">Every call, with commands to paste</a> · <a href="sandbox/triggers">Test data</a></p>
<p><a href="${baseUrl}/machine">The statechart of all orders</a></p>
</section>
<section>
<h3>Place an order</h3>
${copyable(`curl -si -u demo:demo ${baseUrl}/orders -H 'content-type: application/json' -d '{"order":{
  "merchant":{"id":"demo","return_url":"${baseUrl}/demo/return",
    "notify_url":"${baseUrl}/demo/notify","events_webhook":{"url":"${baseUrl}/demo/events"}},
  "cart":{"currency":"EUR","order_total_with_tax":12100,"items":[{"total_with_tax":12100}]}}}'`)}
<h3>Move the clock by an hour</h3>
${copyable(`curl -s ${baseUrl}/sandbox/clock/advance -H 'content-type: application/json' -d '{"seconds":3600}'`)}
</section>
</div>
</details>`

const CARD_WORDS = {
  pays: 'pays',
  declined: 'is declined',
  challenged: 'asks for 3-D Secure, then pays',
} as const

export const frontPage = (page: FrontPage): Markup => html`<h1 class="unseen">Try plazo</h1>
<p class="news" id="news" role="status"></p>
<div class="tabs" role="tablist" aria-label="Panes">
<button type="button" role="tab" id="tab-shop" aria-controls="shop" aria-selected="true">Shop</button>
<button type="button" role="tab" id="tab-machine" aria-controls="machine" aria-selected="false" tabindex="-1">Statechart</button>
<button type="button" role="tab" id="tab-timeline" aria-controls="timeline" aria-selected="false" tabindex="-1">Timeline</button>
</div>
<div class="panes" data-pane="shop">
${shop(page)}
${machine()}
${timeline()}
</div>
${connect(page)}`
