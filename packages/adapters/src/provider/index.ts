// @plazo/adapters/provider: deciders that are external services.
export { type ReceivedCallback, verifyCallback } from './callback-authenticity.ts'
export { derivePortSecrets } from './port-secrets.ts'
export { IN_FLIGHT_MAX } from './provider-client.ts'
export {
  type Closable,
  type RemoteOptions,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
} from './remote-deciders.ts'
