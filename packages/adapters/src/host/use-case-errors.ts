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

const STATUSES = {
  OrderNotFound: 404,
  PaymentNotFound: 404,
  SessionNotFound: 404,
  DeliveryNotFound: 404,
  DeliveryErased: 409,
  ReferenceTaken: 409,
  Refused: 409,
  ProductNotOffered: 400,
  Unavailable: 503,
  InternalError: 500,
} as const satisfies { readonly [tag in UseCaseError['_tag']]: number }

/** The HTTP status of an error with this tag. A 503 may be sent with `Retry-After`. */
export const statusOf = <Tag extends UseCaseError['_tag']>(tag: Tag): (typeof STATUSES)[Tag] =>
  STATUSES[tag]

const SENTENCES = {
  OrderNotFound: 'Order not found.',
  PaymentNotFound: 'Payment not found.',
  SessionNotFound: 'Session not found, or another session has replaced it.',
  DeliveryNotFound: 'Delivery not found.',
  Unavailable: 'The service is temporarily unavailable. Try again.',
  InternalError: 'Internal error.',
}

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
      return [SENTENCES[error._tag]]
  }
}
