// Describes the routes in identification-form.ts for the OpenAPI document.
import * as t from 'io-ts'
import { answer, HTML, NO_ORDER, type Operations, type Setting, text } from '../openapi/operation.ts'
import { merchantHeader } from './orders-operations.ts'

export const identificationFormOperations = ({ names }: Setting): Operations => ({
  'GET /orders/:uuid/form_v2': {
    id: 'showHostedForm',
    caller: 'merchant',
    title: 'Fetch the hosted identification form',
    description:
      'A whole page for the shopper’s browser, in the language of the order, from the first field to the return_url.',
    parameters: {
      ...merchantHeader(names.merchantHeader),
      product: {
        in: 'query',
        description: 'A product that the order may have; the one that it stands on unless given.',
        codec: t.string,
        example: 'pp3',
      },
    },
    answers: { 200: answer('The page.', HTML) },
    problems: { 400: 'The order may not have the product.', 404: NO_ORDER },
  },
  'GET /sdk/identification-form.js': {
    id: 'hostedFormScript',
    caller: 'frontend',
    title: 'Load the hosted form’s own script',
    answers: { 200: answer('The script.', text('text/javascript')) },
  },
})
