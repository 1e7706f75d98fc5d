// A merchant of the sandbox must notice that their webhooks go wrong on purpose: every page of
// theirs begins with their drills.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { type Markup, type Page, rootFrom, sendPage } from '../../http/page/page.ts'
import { readableInstant } from '../../http/page/script/formats.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { type SandboxPageName, sandboxTop } from '../layout.ts'
import { faultTitle, SHOP_TEXTS, STAND_IN_TEXTS } from './fault-texts.ts'
import type { Drill } from './protocol.ts'

/** The drills of a merchant, as far as this server knows them. */
type KnownDrills = (merchantRef: string) => readonly Drill[]

/**
 * Placed before `main`. Only for a page that this merchant may see. `root`: the way to the server's
 * base URL.
 */
export const drillBanner = (
  knownDrills: KnownDrills,
  merchantRef: string,
  root: string,
): Markup => {
  const drills = knownDrills(merchantRef)
  const src =
    merchantRef === DEMO_MERCHANT
      ? 'sandbox/demo/drills'
      : `sandbox/drills?${new URLSearchParams({ merchant: merchantRef })}`
  return html`<plazo-drills src="${root}${src}" role="region" aria-label="Fault drills"${drills.length === 0 && html` hidden`}>
${drills.map(({ fault, until }) => html`<p>Drill: ${faultTitle(fault)}, until ${readableInstant(until)} UTC of real time</p>`)}</plazo-drills>`
}

type ToolPage = Pick<Page, 'title' | 'body' | 'styles' | 'hasForms'> & {
  readonly current: SandboxPageName | null
  readonly script: string
  readonly merchantRef?: string
}

/**
 * Sends one of the sandbox's smaller pages, with its bar and the drills. `merchantRef`: whose page
 * it is.
 */
export const sendToolPage = (
  c: Context,
  knownDrills: KnownDrills,
  { current, script, merchantRef = DEMO_MERCHANT, ...page }: ToolPage,
): Promise<Response> => {
  const root = rootFrom(c)
  return sendPage(c, {
    ...page,
    scripts: [script, 'drills-element'],
    lead: html`${sandboxTop(current, root)}${drillBanner(knownDrills, merchantRef, root)}`,
    policy: ["connect-src 'self'"],
  })
}

const options = (texts: typeof STAND_IN_TEXTS | typeof SHOP_TEXTS): readonly Markup[] =>
  Object.entries(texts).map(
    ([fault, { title, outcome }]) =>
      html`<option value="${fault}" data-outcome="${outcome}">${title}</option>`,
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
