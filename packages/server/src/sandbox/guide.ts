// A newcomer reads in the terminal, once the sandbox listens, how to try it in a browser, as text and
// by hand.

import type { Config } from '@plazo/server'
import { PLAZO, SANDBOX_OPERATOR_PASSWORD } from '@plazo/server/internal'
import { DEMO_SECRET } from './demo-merchant.ts'

export const guide = (baseUrl: string, { operatorPassword }: Config): string => `
  merchant  demo        username  demo      password  demo
  secret    ${DEMO_SECRET}
  operator  operator    password  ${operatorPassword === SANDBOX_OPERATOR_PASSWORD ? operatorPassword : 'the value of OPERATOR_PASSWORD'}

Open ${baseUrl} in a browser: a shop, the statechart of its order, and all that happens to it.

The same as text, in another terminal:

  ${PLAZO} demo --url ${baseUrl}

Or by hand: place an order. Its uuid is the last part of Location in the answer.
Then POST the shopper's data to ${baseUrl}/api/v1/checkout/<uuid>/identification.

  curl -si -u demo:demo ${baseUrl}/orders -H 'content-type: application/json' -d '{"order":{
    "merchant":{"id":"demo","return_url":"${baseUrl}/demo/return","notify_url":"${baseUrl}/demo/notify",
      "events_webhook":{"url":"${baseUrl}/demo/events"}},
    "cart":{"currency":"EUR","order_total_with_tax":12100,"items":[{"total_with_tax":12100}]}}}'

Pages in a browser, JSON for programs:

  ${baseUrl}/sandbox/triggers    test persons, codes and cards for other outcomes
  ${baseUrl}/sandbox/messages    the SMS that were sent
  ${baseUrl}/sandbox/clock       the clock, which you can move
  ${baseUrl}/docs                every call, with its examples
`
