// A frontend needs this metadata to render the form for one product of an order. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { offeredAgreement } from '../../order/next-action.ts'
import { agreementOf, type Order } from '../../order/order.ts'
import type { CheckoutMetadata } from '../../protocol/action.ts'
import { type CreditProduct, productsFor } from '../../protocol/credit-product.ts'
import { PERSON_FIELDS } from '../../protocol/identification-form.ts'

/** `offered`: the codes of the products that the order may have. */
export type ProductNotOffered = { readonly _tag: 'ProductNotOffered'; readonly offered: readonly string[] }

/** The named product, if the order may have it. `null` selects the product of the order's agreement. */
export const productForOrder = (
  order: Order,
  requestedCode: string | null,
): E.Either<ProductNotOffered, CreditProduct> => {
  const products = productsFor(order.placed.merchant.products, order.placed.total)
  const code = requestedCode ?? agreementOf(order).product
  return E.fromNullable<ProductNotOffered>({ _tag: 'ProductNotOffered', offered: products.map((each) => each.code) })(
    products.find((product) => product.code === code),
  )
}

/** `privacyField`: the name of the consent field, which must be `true`. `privacyPolicy`: the address of the policy. */
export type Consent = { readonly privacyField: string; readonly privacyPolicy: string }

/** The metadata for a product that `productForOrder` returned. */
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
