// The calls that only a sandbox has are listed apart in the API's description.

import { type Access, accessBy, openTo } from '@plazo/server/internal'

const CALLS = {
  name: 'Sandbox',
  description:
    'Tools to develop a shop against: time, test cards, ID sessions and a demo merchant.',
}

/** Open to everybody who reaches the server. */
export const SANDBOX = openTo(CALLS)

export const accessInSandbox = <A>(load: Access<A>['load']): Access<A> => accessBy(CALLS, load)
