// A merchant of the sandbox must notice that their webhooks go wrong on purpose: every page of theirs begins with their drills.
import type { Drill } from '@plazo/core'
import { html } from 'hono/html'
import { faultTitle, SHOP_TEXTS, STAND_IN_TEXTS } from '../browser/sandbox/fault-texts.ts'
import { readableInstant } from '../browser/shared/formats.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import type { Markup } from './page.ts'

/** The drills of a merchant, as far as this server knows them. */
type KnownDrills = (merchantRef: string) => readonly Drill[]

/**
 * Placed before `main`. Only for a page that this merchant may see.
 *
 * @param root the way from the page to the server's base URL
 */
export const drillBanner = (knownDrills: KnownDrills, merchantRef: string, root: string): Markup => {
  const drills = knownDrills(merchantRef)
  const src =
    merchantRef === DEMO_MERCHANT
      ? 'sandbox/demo/drills'
      : `sandbox/drills?${new URLSearchParams({ merchant: merchantRef })}`
  return html`<plazo-drills src="${root}${src}" role="region" aria-label="Fault drills"${drills.length === 0 ? html` hidden` : ''}>
${drills.map(({ fault, until }) => html`<p>Drill: ${faultTitle(fault)}, until ${readableInstant(until)} UTC of real time</p>`)}</plazo-drills>`
}

const options = (texts: typeof STAND_IN_TEXTS | typeof SHOP_TEXTS): readonly Markup[] =>
  Object.entries(texts).map(
    ([fault, { title, outcome }]) => html`<option value="${fault}" data-outcome="${outcome}">${title}</option>`,
  )

/** Part of the front page's form: how the shop answers the next order. */
export const drillChoice = (): Markup => html`<fieldset class="answers">
<legend><label for="answers">How does the shop answer its webhooks?</label></legend>
<select id="answers" name="answers">
<option value="" data-outcome="">as usual: it accepts them</option>
<optgroup label="A bad shop: it answers the IPN with">${options(STAND_IN_TEXTS)}</optgroup>
<optgroup label="A hard test: the shop gets">${options(SHOP_TEXTS)}</optgroup>
</select>
<p class="outcome" id="answers-outcome"></p>
</fieldset>`
