// @plazo/adapters/provider: providers that are external services.
export {
  derivePortSecrets,
  IN_FLIGHT_MAX,
  type ReceivedCallback,
  verifyCallback,
} from './provider-client.ts'
export {
  type Closable,
  type RemoteOptions,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
} from './remote-providers.ts'
