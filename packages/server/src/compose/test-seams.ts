// Tests of a whole server replace here what it takes from outside: time, network, store, providers and limits.
import type { MerchantGatewayOptions } from '@plazo/adapters/http'
import type { Timers } from '@plazo/adapters/system'
import type { FullStore, Ids, Providers } from '@plazo/core'
import type { DispatcherParts } from '../background/dispatcher.ts'
import type { ClientAddress } from '../http/limits/client-address.ts'
import type { RateLimits } from '../http/limits/rate-limits.ts'
import type { Log } from '../log/log.ts'
import type { OpenStorageOptions } from './storage.ts'

export type TestSeams = Pick<OpenStorageOptions, 'onCommit' | 'threadAfterJobs' | 'database' | 'patience'> &
  Pick<MerchantGatewayOptions, 'sendRequest'> &
  Pick<DispatcherParts, 'onMoment' | 'lease'> & {
    /** Default: the limits of the mode. */
    readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
    /** A simulation's timers, instead of the machine's own. */
    readonly timers?: Timers
    readonly ids?: Ids
    readonly store?: (own: FullStore) => FullStore
    /** Replaces the providers that the settings name. */
    readonly providers?: (own: Providers) => Providers
    /** Real milliseconds between two passes that delete old data. */
    readonly retainEvery?: number
  }
