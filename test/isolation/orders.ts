// Places orders of many merchants and takes each to its IPN, no matter how the merchants' endpoints behave.
import { type Shop, shopAt } from '../harness/shop.ts'

const CODE = '12345'
export const PASSWORD = 'isolation'
const POLL_EVERY = 50
const POLLS = 200

export type PlacedOrder = { readonly merchant: string; readonly orderRef: string }

/** `servers`: each request goes to the next one. */
export const shopOf = (servers: () => string, merchant: string): Shop =>
  shopAt('', { username: merchant, password: PASSWORD }, (path, init) => fetch(`${servers()}${path}`, init))

/** Places an order and resolves once its IPN is due. */
export const leadOrder = async (servers: () => string, receivers: string, merchant: string): Promise<PlacedOrder> => {
  const shop = shopOf(servers, merchant)
  const orderRef = await shop.place({
    merchant: {
      id: merchant,
      return_url: `${receivers}/back`,
      notify_url: `${receivers}/${merchant}/ipn`,
      events_webhook: { url: `${receivers}/${merchant}/events`, parameters: {} },
    },
  })
  await shop.submit(orderRef)
  let { action } = await shop.submit(orderRef, { validation_code: CODE })
  for (let polls = 0; action !== 'wait_for_confirmation' && action !== 'finish'; polls++) {
    if (polls === POLLS) throw new Error(`${orderRef} has come to ${action} only.`)
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY))
    ;({ action } = await (action === 'resume_after_screening' ? shop.submit(orderRef) : shop.wait(orderRef)))
  }
  return { merchant, orderRef }
}

/** When the step was made that asks the merchant to confirm, in epoch milliseconds; null if there is none. */
export const confirmingSince = async (
  servers: () => string,
  { merchant, orderRef }: PlacedOrder,
): Promise<number | null> => {
  const line = (await shopOf(servers, merchant).history(orderRef)).find(({ to }) => to.checkout === 'confirming')
  return line === undefined ? null : Date.parse(line.at)
}
