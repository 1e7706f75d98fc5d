// @plazo/adapters/fetch: calls merchants by `fetch`, for hosts without Node's sockets. Nothing here needs
// Node. Use it behind an egress that blocks private networks.
//
// ```ts
// import { fetchGateway, nameGuard } from '@plazo/adapters/fetch'
// import { wireNames } from '@plazo/core'
// import * as TE from 'fp-ts/lib/TaskEither.js'
//
// console.log(nameGuard.checkUrl('https://10.0.0.1/ipn')) // a sentence that says why not
// const secretsOf = () => TE.right(['0123456789abcdef0123456789abcdef'])
// const names = wireNames('Acme', 'acme_state')
// const gateway = fetchGateway({ names, guard: nameGuard, secretsOf, realNow: Date.now })
// gateway.close()
// ```

export { fetchGateway } from './fetch-gateway.ts'
export { nameGuard } from './name-guard.ts'
