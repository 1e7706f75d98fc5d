// A newcomer reads in the terminal, once the sandbox listens, how to try it in a browser and as
// text.

import { type Config, PLAZO, SANDBOX_OPERATOR_PASSWORD } from '@plazo/server/internal'
import { DEMO_SECRET } from './demo-merchant.ts'

export const guide = (baseUrl: string, { operatorPassword }: Config): string => `
  merchant  demo        username  demo      password  demo
  secret    ${DEMO_SECRET}
  operator  operator    password  ${operatorPassword === SANDBOX_OPERATOR_PASSWORD ? operatorPassword : 'the value of OPERATOR_PASSWORD'}

Open ${baseUrl} in a browser: a shop, the statechart of its order, and all that happens to it.
At its end, it says how to connect a shop of your own.

The same as text, in another terminal:

  ${PLAZO} demo --url ${baseUrl}

Pages in a browser, JSON for programs:

  ${baseUrl}/sandbox/triggers    test persons, codes and cards for other outcomes
  ${baseUrl}/sandbox/messages    the SMS that were sent
  ${baseUrl}/sandbox/clock       the clock, which you can move
  ${baseUrl}/docs                every call, with its examples
`
