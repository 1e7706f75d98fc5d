// The scripts of all pages by name: pages load them, and one route serves them.
import { browserScript } from './browser-script.ts'

export const SCRIPTS = {
  bank: browserScript(new URL('../browser/sandbox/sandbox-bank.ts', import.meta.url)),
  cardForm: browserScript(new URL('../browser/sandbox/sandbox-card-form.ts', import.meta.url)),
  checkoutDriver: browserScript(new URL('../browser/checkout/checkout-driver.ts', import.meta.url)),
  checkoutElement: browserScript(new URL('../browser/checkout/checkout-element.ts', import.meta.url)),
  clock: browserScript(new URL('../browser/sandbox/sandbox-clock.ts', import.meta.url)),
  copyButtons: browserScript(new URL('../browser/shared/copy-buttons.ts', import.meta.url)),
  drills: browserScript(new URL('../browser/sandbox/drills-element.ts', import.meta.url)),
  frontPage: browserScript(new URL('../browser/front-page/front-page.ts', import.meta.url)),
  inbox: browserScript(new URL('../browser/sandbox/webhook-inbox.ts', import.meta.url)),
  machine: browserScript(new URL('../browser/machine/machine-element.ts', import.meta.url)),
  /** Includes the element. */
  machineOrder: browserScript(new URL('../browser/machine/machine-order.ts', import.meta.url)),
  messages: browserScript(new URL('../browser/sandbox/sandbox-messages.ts', import.meta.url)),
  paymentError: browserScript(new URL('../browser/sandbox/sandbox-payment-error.ts', import.meta.url)),
  reference: browserScript(new URL('../browser/reference/reference.ts', import.meta.url)),
}
