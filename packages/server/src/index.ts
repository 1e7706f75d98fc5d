// The exports of @plazo/server, for programs that host it themselves.

export type { DeliveryClass, ReducedMerchant } from './background/delivery-admission.ts'
export { type Dispatcher, type DispatcherParts, startDispatcher } from './background/dispatcher.ts'
export { type ComposeOptions, compose, type Plazo } from './boot/compose.ts'
export { type Config, type Environment, linksFrom, readConfig } from './boot/config.ts'
export type { Mode } from './boot/policy.ts'
export type { ClientAddress } from './http/client-address.ts'
export type { Extension, ExtensionParts, OpenExtension } from './http/extension.ts'
export type { MinuteLimit, RateLimits } from './http/limits/rate-limits.ts'
export type { SocketLimits } from './http/limits/socket-limits.ts'
export { type FieldName, type FieldValue, type Log, type LogEvent, openLog } from './log/log.ts'
export { type RunningServer, serve } from './serve.ts'
