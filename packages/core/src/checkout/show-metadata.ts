// What a frontend needs to draw the form for one product of an order. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { agreementOf } from '../order/agreement.ts'
import { offeredAgreement } from '../order/offered-agreement.ts'
import type { Order } from '../order/order.ts'
import type { CreditProduct } from '../protocol/catalogue.ts'
import type { CheckoutMetadata } from '../protocol/checkout-metadata.ts'
import { productsFor } from '../protocol/credit-product.ts'
import { PERSON_FIELDS } from '../protocol/identification-form.ts'

/** The codes of those that are on offer. */
export type ProductNotOffered = { readonly _tag: 'ProductNotOffered'; readonly offered: readonly string[] }

/** The product named, if the order may have it; `null` takes the one it stands on. */
export const productForOrder = (order: Order, named: string | null): E.Either<ProductNotOffered, CreditProduct> => {
  const products = productsFor(order.placed.merchant.products, order.placed.total)
  const code = named ?? agreementOf(order).product
  return E.fromNullable<ProductNotOffered>({ _tag: 'ProductNotOffered', offered: products.map((each) => each.code) })(
    products.find((product) => product.code === code),
  )
}

/** `privacyField`: the name of the field that must be `true`; the policy it speaks of is read at `privacyPolicy`. */
export type Consent = { readonly privacyField: string; readonly privacyPolicy: string }

/** Of a product that `productForOrder` has given. */
export const checkoutMetadata =
  ({ privacyField, privacyPolicy }: Consent) =>
  ({ placed }: Order, { code, instalmentCounts }: CreditProduct): CheckoutMetadata => ({
    product_code: code,
    requested_fields: PERSON_FIELDS,
    checkboxes: [
      {
        id: privacyField,
        checked: false,
        required: !placed.merchant.optionalFields.includes(privacyField),
        url: privacyPolicy,
      },
    ],
    total_with_tax: placed.total,
    credit_agreement: instalmentCounts.map((instalmentCount, index) => ({
      ...offeredAgreement(placed, { product: code, instalmentCount }),
      default: index === 0,
    })),
  })
