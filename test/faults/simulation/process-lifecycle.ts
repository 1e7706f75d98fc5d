// Runs the server's processes one after another on one database, and applies the faults to them.

import { isKillPoint, type KillPoint, type SimulatedFault } from '../../harness/faults.ts'
import { fillDisk, freeDisk, type ServerProcess } from './server-process.ts'
import {
  type Fault,
  type FaultLevels,
  formatFault,
  storeMayFail,
  type WorldState,
} from './world-state.ts'

export type ProcessLifecycle = {
  /** Null while no process runs. */
  readonly current: () => ServerProcess | null
  /** True if it still accepts requests. */
  readonly isServing: () => boolean
  readonly isStopping: () => boolean
  readonly applyFault: (fault: Fault) => void
  /** Cancels the faults that have not happened yet. */
  readonly disarm: () => void
  /** A process calls it when it passes a point. */
  readonly onPoint: (point: KillPoint, of: ServerProcess) => void
  /** Milliseconds for which the process remains frozen. */
  readonly frozenFor: () => number
  /** Milliseconds by which the machine's clock was set. */
  readonly skew: () => number
  /** Cleans up after a dead process, and starts the next one if it is time. */
  readonly advance: () => Promise<void>
  /** The database at the end. */
  readonly finalImage: () => Buffer
}

type LastingFault = Exclude<keyof FaultLevels, 'isCalm'>

const LASTING_FAULTS: Partial<Record<SimulatedFault, LastingFault>> = {
  'slow disk': 'slowDisk',
  'full disk': 'fullDisk',
  'failing commits': 'failingCommits',
  'bad network': 'badNetwork',
  'providers fail': 'providersFail',
}

const RESTART_RETRY = 5_000

/** `first`: the database of the first process. */
export const createProcessLifecycle = (
  { scheduler, faultLevels, eventLog }: WorldState,
  first: Buffer,
  begin: (image: Buffer) => Promise<ServerProcess>,
): ProcessLifecycle => {
  let image = first
  let current: ServerProcess | null = null
  let cleanedUp: ServerProcess | null = null
  let isStopping = false
  let comesBackAfter = 0
  let isDue = true
  let armed: Fault | null = null
  let frozenUntil = 0
  let skew = 0

  const open = () => (current?.database.open === true ? current.database : null)

  const last = (as: LastingFault, millis: number): void => {
    const before = open()
    if (as === 'fullDisk' && before !== null) fillDisk(before)
    faultLevels[as] += 1
    scheduler.after(millis, () => {
      faultLevels[as] -= 1
      const after = open()
      if (as === 'fullDisk' && faultLevels.fullDisk === 0 && after !== null) freeDisk(after)
    })
  }

  const startLater = (millis: number): void =>
    void scheduler.after(millis, () => {
      isDue = true
    })

  const cleanUp = (dead: ServerProcess): void => {
    eventLog.count('faults', 'lives ended')
    image = dead.databaseImage()
    cleanedUp = dead
    isStopping = false
    startLater(comesBackAfter)
  }

  const applyFault = (fault: Fault): void => {
    const { kind, millis } = fault
    eventLog.count('faults', kind)
    eventLog.log(null, `FAULT ${fault.number}: ${formatFault(fault)}`)
    const lasting = LASTING_FAULTS[kind]
    if (lasting !== undefined) last(lasting, millis)
    else if (isKillPoint(kind)) armed = fault
    else if (kind === 'freeze') frozenUntil = scheduler.now() + millis
    else if (kind === 'clock jump') skew += millis
    else if (current !== null && !current.isDead() && !isStopping) {
      comesBackAfter = millis
      isStopping = kind === 'restart'
      if (isStopping) void current.stop()
      else current.kill()
    }
  }

  return {
    current: () => current,
    isServing: () => current !== null && !current.isDead() && !isStopping,
    isStopping: () => isStopping,
    applyFault,
    disarm: () => {
      armed = null
    },
    onPoint: (point, of) => {
      if (armed?.kind !== point || of.isDead()) return
      comesBackAfter = armed.millis
      armed = null
      of.kill()
    },
    frozenFor: () => Math.max(0, frozenUntil - scheduler.now()),
    skew: () => skew,
    advance: async () => {
      if (current?.isDead() === true && cleanedUp !== current) cleanUp(current)
      if (!isDue) return
      isDue = false
      try {
        current = await begin(image)
        eventLog.count('faults', 'lives begun')
      } catch (cause) {
        if (!storeMayFail(faultLevels))
          eventLog.reportViolation('the server starts again', null, String(cause))
        startLater(RESTART_RETRY)
      }
    },
    finalImage: () => {
      const remains = current?.databaseImage() ?? image
      current?.kill()
      return remains
    },
  }
}
