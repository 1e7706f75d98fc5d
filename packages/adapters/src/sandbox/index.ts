// @plazo/adapters/sandbox: simulates the providers, so that a checkout runs without any other service.
//
// ```ts
// import { memoryRecords } from '@plazo/adapters/memory'
// import { sandboxProviders } from '@plazo/adapters/sandbox'
//
// const { screening, sms } = sandboxProviders(memoryRecords())
// console.log(screening, sms) // ports of a host
// ```

export { sandboxProviders } from './providers.ts'
