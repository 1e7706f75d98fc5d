// @plazo/adapters/internal/provider: asks providers that are external services, by signed requests, and verifies
// their callbacks.
//
// ```ts
// import { derivePortSecrets, remoteSms } from '@plazo/adapters/internal/provider'
//
// const secrets = derivePortSecrets([new Uint8Array(32)], 'sms') // of your master keys
// const sms = remoteSms({
//   url: 'https://sms.example/send',
//   callbackUrl: 'https://pay.example/callbacks/sms',
//   secrets,
//   userAgent: 'acme',
//   realNow: Date.now,
// })
// console.log(secrets) // the provider verifies with them
// sms.close()
// ```

export {
  derivePortSecrets,
  IN_FLIGHT_MAX,
  type ReceivedCallback,
  type RemoteOptions,
  verifyCallback,
} from './provider-client.ts'
export {
  type Closable,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
} from './remote-providers.ts'
