// The page of the test data: who takes which path, which code works, and what each card does.

import { SANDBOX_CODE, TEST_CARDS, triggerOf } from '@plazo/adapters/sandbox'
import type { Markup } from '@plazo/server/internal'
import { html } from 'hono/html'
import { DEMO_PEOPLE, type DemoPerson } from './demo-people.ts'
import { copyable, pageHead } from './layout.ts'

const CARD_RESULTS = {
  pays: 'The payment succeeds.',
  declined: 'The payment is declined. The shopper can try another card.',
  challenged: 'The bank asks for 3-D Secure first. Then the payment succeeds.',
} as const

/** Grouped by four digits. */
const groupDigits = (number: string): string => number.replace(/(?=(?:\d{4})+$)(?!^)/g, ' ')

const personItem = (root: string, { surnames, name, outcome, product }: DemoPerson): Markup => {
  const trigger = triggerOf(surnames)
  return html`<li>
<div>
<h3>${name}</h3>
<p>${outcome}${product && ` Only with the product ${product}.`}</p>
<p class="surnames"><span class="quiet">Surnames</span> ${trigger.surnames === '' ? 'any others' : copyable(surnames, html`<q>${surnames}</q>`)}</p>
<details><summary>Actions of the checkout</summary>
<ol class="path" aria-label="Actions of the wait endpoint">${trigger.path.map((action) => html`<li>${action}</li>`)}</ol></details>
</div>
<div class="row"><a class="button" href="${root}?person=${encodeURIComponent(surnames)}">Buy as ${name}</a></div>
</li>`
}

/** `root`: the way to the server's base URL. */
export const triggersPage = (
  root: string,
): Markup => html`${pageHead('Test data', 'The surnames of the shopper decide what happens to their order. Use them in your own shop, or buy as one of these test persons on the sandbox’s front page.')}
<section class="card" aria-labelledby="people"><h2 id="people">Test persons</h2>
<ul class="people">${DEMO_PEOPLE.map((person) => personItem(root, person))}</ul>
</section>
<section class="card" aria-labelledby="code"><h2 id="code">SMS code</h2>
<div class="row"><p>This code works wherever the code from the SMS works. <a href="messages">See the SMS that were sent</a></p>${copyable(SANDBOX_CODE)}</div>
</section>
<section class="card" aria-labelledby="cards"><h2 id="cards">Cards</h2>
<p class="quiet">Any expiry from this month on, and any CVC.</p>
<ul class="rows">${TEST_CARDS.map(
  ({ number, does }) =>
    html`<li class="row"><span>${CARD_RESULTS[does]}</span>${copyable(number, html`<code>${groupDigits(number)}</code>`)}</li>`,
)}</ul>
</section>
<p class="quiet">Programs get the same as JSON: <code>curl -s …/sandbox/triggers</code></p>`
