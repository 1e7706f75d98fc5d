// Developers read here how they copy an order up to one of its events, to see how else it might go on.
import { Forked, ForkPayload } from '@plazo/core'
import * as t from 'io-ts'
import {
  answer,
  body,
  json,
  merchantCall,
  merchantHeader,
  NO_ORDER,
  type Operations,
  ORDER_REF,
  type Setting,
  sandboxCall,
} from '../operation.ts'

const FORK = {
  description:
    'Copies the order up to one of its events into a new order, which continues from there. The fork calls no merchant unless deliver is true.',
  body: body(
    json(ForkPayload, { 'at its first event': { at: 1 }, 'that calls the merchant': { at: 1, deliver: true } }),
  ),
  answers: {
    201: answer(
      'Forked.',
      json(Forked, {
        forked: {
          order_ref: 'a3c2f5b0-53a5-4c11-9f0e-6a1d2b7c9e44',
          order_ref_1: 'A-1001-fork-a3c2f5b0',
          forked_from: { order_ref: ORDER_REF, event: 1 },
        },
      }),
    ),
  },
  problems: {
    404: NO_ORDER,
    409: 'The order has no such event, its shopper was erased, or its journal is no longer complete.',
  },
}

export const forkOperations = (setting: Setting): Operations => ({
  'POST /sandbox/orders/:uuid/forks': merchantCall('forkOrder', 'Fork an order', {
    ...FORK,
    parameters: merchantHeader(setting),
  }),
  'POST /sandbox/demo/orders/:uuid/forks': sandboxCall('forkDemoOrder', 'Fork an order of the demo merchant', FORK),
  'POST /sandbox/sink': sandboxCall('sink', 'Receive the requests of a fork that calls no merchant', {
    description: 'Accepts every IPN and every event of up to 64 KiB, and agrees to every cancellation.',
    answers: {
      200: answer('Accepted.', json(t.partial({ result: t.string }), { cancelled: { result: 'cancelled' } })),
    },
  }),
})
