// @plazo/server, for those who host it themselves.
export { compose, type Hooks, linksFrom, type Plazo, SANDBOX_CODE } from './compose.ts'
export { type Config, type Environment, readConfig } from './config.ts'
export { type Dispatcher, type DispatcherParts, startDispatcher } from './dispatcher.ts'
export { type Log, type LogEvent, openLog } from './log/log.ts'
export { templateOf } from './openapi/document.ts'
export type { OpenApiDocument, OperationObject, ResponseObject } from './openapi/open-api.ts'
export { operations } from './openapi/operations.ts'
export { type Serving, serve } from './serve.ts'
