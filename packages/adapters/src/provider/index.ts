// @plazo/adapters/provider: deciders that are external services.
export { authenticCallback, type CallbackReceived } from './callback-authenticity.ts'
export { portSecrets } from './port-secrets.ts'
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
