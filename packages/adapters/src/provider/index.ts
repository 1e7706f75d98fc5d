// @plazo/adapters/provider: providers that are external services.
export { IN_FLIGHT_MAX } from './provider-client.ts'
export {
  type Closable,
  type RemoteOptions,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
} from './remote-providers.ts'
export { derivePortSecrets, type ReceivedCallback, verifyCallback } from './signing.ts'
