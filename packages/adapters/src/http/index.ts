// @plazo/adapters/http: calls merchants over HTTP. A guard keeps their URLs from leading into the
// operator's own network, and signatures prove to them who calls.
//
// ```ts
// import { addressGuard, merchantGateway } from '@plazo/adapters/http'
// import { wireNames } from '@plazo/core'
// import * as TE from 'fp-ts/lib/TaskEither.js'
//
// const guard = addressGuard({ allow: [] })
// console.log(guard.checkUrl('http://10.0.0.1/')) // a sentence that says why not
// const secretsOf = () => TE.right(['0123456789abcdef0123456789abcdef'])
// const names = wireNames('Acme', 'acme_state')
// const gateway = merchantGateway({ names, guard, secretsOf, realNow: Date.now })
// gateway.close()
// ```

export { merchantGateway } from './client/merchant-gateway.ts'
export { threadedGateway } from './client/threaded-gateway.ts'
export { addressGuard } from './guard/ssrf-guard.ts'
export { sign, signStandardWebhook } from './signature.ts'
