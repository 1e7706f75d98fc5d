// The sandbox's own pages in place of a provider's: the card form, the bank's question, and the ID session. Contract §8.
import { html } from 'hono/html'
import { type BrowserScript, browserScript } from './browser-script.ts'
import type { Markup } from './page.ts'

export type SandboxPage = {
  readonly title: string
  readonly body: Markup
  readonly scripts: readonly BrowserScript[]
  readonly mayBeFramed?: true
}

const CARD_FORM = browserScript(new URL('../browser/pages/sandbox-card-form.ts', import.meta.url))
const BANK = browserScript(new URL('../browser/pages/sandbox-bank.ts', import.meta.url))
const ID_SESSION = browserScript(new URL('../browser/pages/sandbox-id-session.ts', import.meta.url))

export const SANDBOX_SCRIPTS = [CARD_FORM, BANK, ID_SESSION]

const CVC = html`<label>CVC <input name="cvc" inputmode="numeric" autocomplete="cc-csc" pattern="\\s*[0-9]{3,4}\\s*" required></label>`

const FIELDS = {
  card: html`<label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number" pattern="\\s*([0-9][ \\-]*){13,19}\\s*" required></label>
<label>Expiry (MM/YY) <input name="expiry" autocomplete="cc-exp" pattern="\\s*(0[1-9]|1[0-2])/[0-9]{2}\\s*" required></label>
${CVC}
<label class="choice"><input type="checkbox" name="save"> Save this card for later orders</label>`,
  cvc: CVC,
}

const STATUS = html`<p role="status" tabindex="-1"></p>`

/** `cvc`: the form of a saved card, which asks only for its code. */
export const cardFormPage = (service: string, fields: keyof typeof FIELDS): SandboxPage => ({
  title: 'Pay by card',
  scripts: [CARD_FORM],
  mayBeFramed: true,
  body: html`<h1>Pay by card</h1>
<form method="post" novalidate data-service="${service}">
${FIELDS[fields]}
<button>Pay</button>
</form>
${STATUS}`,
})

export const bankPage = (service: string): SandboxPage => ({
  title: 'Your bank',
  scripts: [BANK],
  mayBeFramed: true,
  body: html`<h1>Your bank needs to confirm it’s you</h1>
<form method="post" data-service="${service}">
<button name="status" value="success">Yes, pay</button>
<button name="status" value="failure" class="other">No</button>
</form>
${STATUS}`,
})

export const idSessionPage = (): SandboxPage => ({
  title: 'Verify your identity',
  scripts: [ID_SESSION],
  body: html`<h1>Verify your identity</h1>
<form method="post">
<button name="status" value="VERIFIED">Verified</button>
<button name="status" value="FAILED" class="other">Not verified</button>
<button name="status" value="ERROR" class="other">Interrupted</button>
</form>`,
})
