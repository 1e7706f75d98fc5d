// Runs the server's processes one after another on one database, and applies the faults to them.
import type { Fault, FaultKind } from './faults.ts'
import { toldFault } from './faults.ts'
import { fillDisk, freeDisk, type Life } from './life.ts'
import type { Scheduler } from './scheduler.ts'
import type { Story } from './story.ts'
import { storeMayFail, type Weather } from './weather.ts'

type Lives = {
  /** Null while no process runs. */
  readonly current: () => Life | null
  /** True if it still accepts requests. */
  readonly isServing: () => boolean
  readonly isStopping: () => boolean
  readonly happen: (fault: Fault) => void
  /** Cancels the faults that have not happened yet. */
  readonly disarm: () => void
  /** A process calls it when it passes a point. */
  readonly onMoment: (moment: string, of: Life) => void
  /** Milliseconds for which the process remains frozen. */
  readonly frozenFor: () => number
  /** Milliseconds by which the machine's clock was set. */
  readonly skew: () => number
  /** True if it was ever set back. */
  readonly wasSetBack: () => boolean
  /** Cleans up after a dead process, and starts the next one if it is time. */
  readonly turn: () => Promise<void>
  /** The database at the end. */
  readonly left: () => Buffer
}

type LivesParts = {
  readonly scheduler: Scheduler
  readonly weather: Weather
  readonly story: Story
  readonly image: Buffer
  readonly begin: (image: Buffer) => Promise<Life>
}

type Lasting = Exclude<keyof Weather, 'isCalm'>

const LASTING: Partial<Record<FaultKind, Lasting>> = {
  'slow disk': 'slowDisk',
  'full disk': 'fullDisk',
  'failing commits': 'failingCommits',
  'bad network': 'badNetwork',
  'providers fail': 'providersFail',
}

const CRASH_AT: Partial<Record<FaultKind, string>> = {
  'crash before a commit': 'before a commit',
  'crash after a commit': 'after a commit',
  'crash after a claim': 'claimed',
  'crash once carried out': 'carried out',
}

const TRIES_AGAIN = 5_000

export const livesOf = ({ scheduler, weather, story, begin, ...parts }: LivesParts): Lives => {
  let image = parts.image
  let life: Life | null = null
  let buried: Life | null = null
  let isStopping = false
  let comesBackAfter = 0
  let isDue = true
  let armed: Fault | null = null
  let frozenUntil = 0
  let skew = 0
  let wasSetBack = false

  const open = () => (life?.database.open === true ? life.database : null)

  const last = (as: Lasting, millis: number): void => {
    const before = open()
    if (as === 'fullDisk' && before !== null) fillDisk(before)
    weather[as] += 1
    scheduler.after(millis, () => {
      weather[as] -= 1
      const after = open()
      if (as === 'fullDisk' && weather.fullDisk === 0 && after !== null) freeDisk(after)
    })
  }

  const beginSoon = (millis: number): void =>
    void scheduler.after(millis, () => {
      isDue = true
    })

  const bury = (dead: Life): void => {
    story.count('faults', 'lives ended')
    image = dead.remains()
    buried = dead
    isStopping = false
    beginSoon(comesBackAfter)
  }

  const happen = (fault: Fault): void => {
    const { kind, millis } = fault
    story.count('faults', kind)
    story.tell(null, `FAULT ${fault.number}: ${toldFault(fault)}`)
    const lasting = LASTING[kind]
    if (lasting !== undefined) last(lasting, millis)
    else if (CRASH_AT[kind] !== undefined) armed = fault
    else if (kind === 'freeze') frozenUntil = scheduler.now() + millis
    else if (kind === 'clock jump') {
      skew += millis
      wasSetBack ||= millis < 0
    } else if (life !== null && !life.isDead() && !isStopping) {
      comesBackAfter = millis
      isStopping = kind === 'restart'
      if (isStopping) void life.stop()
      else life.die()
    }
  }

  return {
    current: () => life,
    isServing: () => life !== null && !life.isDead() && !isStopping,
    isStopping: () => isStopping,
    happen,
    disarm: () => {
      armed = null
    },
    onMoment: (moment, of) => {
      if (armed === null || CRASH_AT[armed.kind] !== moment || of.isDead()) return
      comesBackAfter = armed.millis
      armed = null
      of.die()
    },
    frozenFor: () => Math.max(0, frozenUntil - scheduler.now()),
    skew: () => skew,
    wasSetBack: () => wasSetBack,
    turn: async () => {
      if (life?.isDead() === true && buried !== life) bury(life)
      if (!isDue) return
      isDue = false
      try {
        life = await begin(image)
        story.count('faults', 'lives begun')
      } catch (cause) {
        if (!storeMayFail(weather)) story.violated('the server starts again', null, String(cause))
        beginSoon(TRIES_AGAIN)
      }
    },
    left: () => {
      const remains = life?.remains() ?? image
      life?.die()
      return remains
    },
  }
}
