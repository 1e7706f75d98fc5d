// The HTTP status and the sentences for each error of a use case. The bundled server and small hosts
// share this table, so that merchants get the same answers from both. Contract §2.
import type {
  DeliveryErased,
  DeliveryNotFound,
  InternalError,
  OrderNotFound,
  PaymentNotFound,
  ProductNotOffered,
  ReferenceTaken,
  Refused,
  SessionNotFound,
  Unavailable,
} from '@plazo/core/internal'

/** Every error of core's use cases. */
export type UseCaseError =
  | OrderNotFound
  | DeliveryNotFound
  | DeliveryErased
  | ReferenceTaken
  | ProductNotOffered
  | Unavailable
  | PaymentNotFound
  | SessionNotFound
  | InternalError
  | Refused

/** The status, and the sentence of an error that needs no more than its tag. */
const ANSWERS = {
  OrderNotFound: [404, 'Order not found.'],
  PaymentNotFound: [404, 'Payment not found.'],
  SessionNotFound: [404, 'Session not found, or another session has replaced it.'],
  DeliveryNotFound: [404, 'Delivery not found.'],
  DeliveryErased: [409],
  ReferenceTaken: [409],
  Refused: [409],
  ProductNotOffered: [400],
  Unavailable: [503, 'The service is temporarily unavailable. Try again.'],
  InternalError: [500, 'Internal error.'],
} as const satisfies { readonly [tag in UseCaseError['_tag']]: readonly [number, string?] }

/** The HTTP status of an error with this tag. A 503 may be sent with `Retry-After`. */
export const statusOf = <Tag extends UseCaseError['_tag']>(tag: Tag): (typeof ANSWERS)[Tag][0] =>
  ANSWERS[tag][0]

/** Why the request failed, for its caller. It has no personal data, and nothing internal. */
export const sentencesOf = (error: UseCaseError): readonly string[] => {
  switch (error._tag) {
    case 'DeliveryErased':
      return [error.message]
    case 'ReferenceTaken':
      return [`order_ref_1 ${JSON.stringify(error.reference)} is already taken.`]
    case 'Refused':
      return error.sentences
    case 'ProductNotOffered':
      return [`The order can have only these products: ${error.offered.join(', ')}.`]
    default:
      return [ANSWERS[error._tag][1]]
  }
}
