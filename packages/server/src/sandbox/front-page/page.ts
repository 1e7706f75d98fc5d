// The sandbox's front page: a newcomer buys in the demo shop, and sees the order's statechart and
// everything that happens next to it. Without a script it still says how to begin.
import { SANDBOX_CODE, TEST_CARDS } from '@plazo/adapters/sandbox'
import { CATALOGUE } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../../http/page/page.ts'
import { CARD } from '../../http/page/script/design.ts'
import { euros } from '../../http/page/script/formats.ts'
import { SANDBOX_STYLE } from '../layout.ts'
import { DEMO_PEOPLE, type DemoPerson } from '../triggers-page.ts'
import { drillChoice } from '../webhooks/drills-page.ts'

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
${drillChoice()}
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
<div class="body" id="machine-body"><plazo-machine runs="sandbox/demo/" fork></plazo-machine></div>
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

/** Three panes on one screen, or tabs on a phone. */
export const FRONT_PAGE_STYLE = `
  ${SANDBOX_STYLE}
  /* Above everything, so that no pane moves while a message comes and goes. */
  .news { position: fixed; inset: auto 1rem 1rem; z-index: 3; inline-size: fit-content; max-inline-size: min(44rem, 100% - 2rem); margin-inline: auto; padding: .75rem 1rem; border-radius: .625rem; background: var(--code); color: var(--on-code); font-size: .9375rem; border: 1px solid var(--line); box-shadow: 0 .25rem 1rem #0005 }
  .news:empty { display: none }
  .news.is-wrong { background: var(--wrong-glow); color: var(--wrong); border: 1px solid var(--wrong) }
  body { --above: 3.375rem }
  body:has(plazo-drills:not([hidden])) { --above: 6.75rem }
  .tabs { display: none }
  .panes { display: grid; grid-template-columns: minmax(21rem, 24fr) minmax(0, 34fr) minmax(19rem, 23fr); gap: .875rem; padding: .875rem 1rem; block-size: calc(100dvh - var(--above)); min-block-size: 34rem }
  .pane { display: flex; flex-direction: column; min-inline-size: 0; min-block-size: 0; ${CARD}; overflow: clip }
  .pane > header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem .75rem; padding: .75rem 1rem; border-block-end: 1px solid var(--edge) }
  .pane > header h2 { font-size: 1rem }
  .pane > header .quiet { font-size: .875rem; font-variant-numeric: tabular-nums }
  .body { flex: 1; min-block-size: 0; overflow: auto; padding: 1rem }
  #checkout > * + * { margin-block-start: 1rem }
  #choose { display: grid; gap: 1.125rem }
  .foot { position: sticky; inset-block-end: -1rem; margin: 0 -1rem -1rem; padding: .75rem 1rem 1rem; background: var(--card); border-block-start: 1px solid var(--edge); z-index: 1 }
  #hint { padding: .625rem 1rem; background: var(--wait-glow); border-block-end: 1px solid var(--edge); font-size: .875rem }
  #hint:empty { display: none }
  #buying { display: grid; gap: 1rem }
  #before > * + * { margin-block-start: .75rem }
  #timeline > .body { padding: 0 }
  plazo-timeline { block-size: 100% }
  #machine .body { padding: .25rem 1rem 1rem }
  .recent { list-style: none; margin: .5rem 0 0; padding: 0 }
  .recent li { display: grid; grid-template-columns: minmax(6rem, 8rem) minmax(0, 1fr); align-items: center; gap: .25rem .75rem; padding-block: .25rem; font-size: .875rem }
  .recent button { min-block-size: 1.75rem; padding-inline: .5rem; font-size: .8125rem; text-align: start; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  #before h3 { font-size: .875rem }
  fieldset { border: 0; margin: 0; padding: 0; min-inline-size: 0 }
  legend { padding: 0 0 .5rem; font-size: .875rem; font-weight: 600 }
  .chips { display: flex; flex-wrap: wrap; gap: .375rem }
  .chip { position: relative; display: inline-flex; align-items: center; min-block-size: 2rem; padding: .125rem .75rem; border: 1px solid var(--edge); border-radius: 1rem; font-size: .875rem; cursor: pointer }
  .chip input { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; margin: 0; opacity: 0; cursor: pointer }
  .chip:hover { border-color: var(--accent) }
  .chip:has(:checked) { background: var(--glow); border-color: var(--accent); color: var(--accent); font-weight: 700 }
  .chip:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px }
  .chip .quiet { margin-inline-start: .3125rem; color: inherit }
  .outcome { margin-block-start: .625rem; padding: .5rem .75rem; border-inline-start: .1875rem solid var(--accent); background: var(--glow); border-radius: 0 .5rem .5rem 0; font-size: .875rem }
  .outcome:empty { display: none }
  #answers { inline-size: 100%; min-block-size: 2.75rem; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: inherit; font: inherit; font-size: .9375rem }
  .cart { inline-size: 100%; border-collapse: collapse }
  .cart td, .cart th { padding: .5rem 0; border-block-end: 1px solid var(--edge); text-align: start; font-weight: 400 }
  .cart td { text-align: end; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap }
  .cart tr:last-child > * { border: 0; font-weight: 700 }
  .hint-card > * + * { margin-block-start: .25rem }
  .hint-card .row { display: flex; align-items: center; justify-content: space-between; gap: .25rem .75rem }
  .hint-card code { font-weight: 700; font-size: .9375rem; letter-spacing: .02em; white-space: nowrap }
  @media (max-width: 40rem) { .hint-card code { font-size: .8125rem } }
  .hint-card button { flex: none; min-block-size: 2rem; border-color: var(--line); background: var(--card) }
  .under { display: flex; flex-wrap: wrap; gap: .5rem }
  .steps { margin: 0; padding-inline-start: 1.25rem; font-size: .9375rem }
  .steps li { padding-block: .1875rem }
  .more { margin: 0 1rem 1.5rem; ${CARD} }
  .more > summary { padding: .875rem 1rem; font-weight: 700; cursor: pointer; border-radius: .875rem }
  .more > summary:hover { color: var(--accent) }
  .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1.5rem; padding: 0 1rem 1.25rem }
  .columns h3 { font-size: .9375rem; margin-block-end: .5rem }
  .columns section > * + * { margin-block-start: .5rem }
  .columns table { border-collapse: collapse; inline-size: 100%; font-size: .875rem }
  .columns th, .columns td { text-align: start; padding: .3125rem .75rem .3125rem 0; border-block-end: 1px solid var(--edge); font-weight: 400; overflow-wrap: anywhere }
  .columns thead th { color: var(--soft); font-size: .8125rem }
  .columns p, .columns li { font-size: .875rem }
  @media (min-width: 64.0625rem) {
    .top { position: sticky; inset-block-start: 0; z-index: 2 }
    plazo-machine { block-size: 100% }
  }
  @media (min-width: 64.0625rem) and (max-width: 79.99rem) { body { --above: 6rem } body:has(plazo-drills:not([hidden])) { --above: 9.375rem } }
  @media (max-width: 64rem) {
    .panes { display: block; block-size: auto; min-block-size: 0; padding: .75rem }
    .tabs { display: flex; flex-wrap: wrap; gap: .25rem; padding: .5rem .75rem 0; background: var(--ground) }
    .tabs button { flex: 1 0 auto; min-block-size: 2.75rem; padding-inline: .5rem; border-color: transparent; background: none; color: var(--soft); overflow-wrap: normal; white-space: nowrap }
    .tabs button[aria-selected=true] { background: var(--card); border-color: var(--edge); color: var(--accent); font-weight: 700 }
    .panes:not([data-pane=shop]) #shop, .panes:not([data-pane=machine]) #machine, .panes:not([data-pane=timeline]) #timeline { display: none }
    .pane, .body { overflow: visible }
    .foot { position: static; border-radius: 0 0 .875rem .875rem }
    .more { margin-inline: .75rem }
  }
  /* Where most of the page is in sight, the tabs and what is needed next stay there too. */
  @media (max-width: 64rem) and (min-height: 37.5rem) {
    .tabs { position: sticky; inset-block-start: 0; z-index: 2 }
    #hint { position: sticky; inset-block-start: 3.25rem; z-index: 1 }
    .foot { position: sticky; inset-block-end: 0 }
  }
`
