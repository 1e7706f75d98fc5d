// Drives a checkout to its end by doing the next step, no matter whether the shopper, the merchant or the operator must act.
import type { Action, Json, Shop } from './shop.ts'

const CODE = '12345'

/** Does the next step of the frontend, the merchant or the operator. Resolves to false if there is nothing left to do. */
export const nextStep =
  (shop: Shop) =>
  async (orderRef: string, { action, ...fields }: Action, identity: Json): Promise<boolean> => {
    switch (action) {
      case 'show_identification_form':
      case 'resume_after_screening':
        await shop.submit(orderRef, identity)
        break
      case 'require_validate_otp':
        await shop.advance(31)
        await shop.submit(orderRef, identity)
        await shop.advance(0)
        await shop.submit(orderRef, { ...identity, validation_code: CODE })
        break
      case 'wait_for_screening':
        await shop.advance(2)
        break
      case 'wait_for_id_verification':
        if (fields.status === 'ERROR') await shop.submit(orderRef, identity)
        else await shop.form(String(fields.session_url), { status: 'VERIFIED' })
        await shop.advance(4)
        break
      case 'alt_payment':
        await shop.submit(orderRef, { ...identity, credit_agreement: { product: 'i1', instalment_count: 1 } })
        break
      case 'require_payment':
        await shop.pay(fields.iframe_url)
        break
      case 'wait_for_on_hold':
        await shop.put(orderRef, { state: 'on_hold' })
        break
      case 'show_on_hold':
        await shop.decide(orderRef, 'approve')
        break
      case 'wait_for_confirmation':
        await shop.put(orderRef, { state: 'confirmed' })
        break
      default:
        return false
    }
    await shop.advance(0)
    return true
  }
