// A merchant of the sandbox must notice that their webhooks go wrong on purpose: every page of
// theirs begins with their drills.
import type { Drill } from '@plazo/core'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { faultTitle, SHOP_TEXTS, STAND_IN_TEXTS } from '../browser/sandbox/fault-texts.ts'
import { readableInstant } from '../browser/shared/formats.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import type { BrowserScript } from './browser-script.ts'
import { SCRIPTS } from './browser-script.ts'
import { type Markup, type Page, rootFrom, sendPage } from './page.ts'
import { type SandboxPageName, sandboxTop } from './sandbox-layout.ts'

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

type ToolPage = Pick<Page, 'title' | 'body' | 'style' | 'hasForms'> & {
  readonly current: SandboxPageName | null
  readonly script: BrowserScript
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
    scripts: [script, SCRIPTS.drills],
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
