// What every adapter of a port promises, as suites of vitest: an adapter's own test calls the one of its port.
// They know the core by its public name, as any adapter does.
export { decidersContract, type OpenedDeciders } from './deciders.contract.ts'
export { forgettingContract, type OpenedForgetting } from './forgetting.contract.ts'
export { gatewayContract, type MerchantAnswer, type OpenedGateway, type RequestReceived } from './gateway.contract.ts'
export { merchantsContract, type OpenedMerchants } from './merchants.contract.ts'
export type { OpenedStore } from './opened-store.ts'
export * from './shop.ts'
export { storeContract } from './store.contract.ts'
