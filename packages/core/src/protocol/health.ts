// The answers of the health checks: the process is alive, and it is ready to serve. Contract §7.
import * as t from 'io-ts'

export const Alive = t.readonly(t.strict({ status: t.literal('alive') }))
export const Ready = t.readonly(t.strict({ status: t.literal('ready') }))
