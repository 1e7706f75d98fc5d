// The fault plan of `pnpm crash`: one server on a SQLite file is killed and restarted again and
// again, at random moments and at each named point.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isKillPoint, KILL_POINTS, type KillPoint } from '../../harness/faults.ts'
import { copiedSnapshot } from '../../harness/ledger/snapshot.ts'
import { freePort } from '../../harness/ports-and-folders.ts'
import { errorsIn, type ServerProcess, spawnServer } from '../../harness/running-server.ts'
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts'
import { sqliteDatabase } from './databases.ts'
import type { Load } from './load.ts'
import type { FaultPlan } from './run.ts'

/**
 * Where a kill can happen: at any moment, during the start, at a point of the server, or while a
 * merchant has a request.
 */
type KillAt = 'a random moment' | 'the start' | KillPoint | 'the receiver'

export const ALL_KILL_POINTS: readonly KillAt[] = [...KILL_POINTS, 'the receiver']

type CrashOptions = {
  /** Kills at random moments. One in ten of them happens while the server starts. */
  readonly kills: number
  /** Kills at each named point. */
  readonly each: number
}

type CrashFacts = {
  /** How often the server was killed, by the moment. */
  readonly killed: Readonly<Record<string, number>>
  /** The folder of the database, kept only if there were violations. */
  readonly folder: string | null
}

const SERVER = fileURLToPath(new URL('../../harness/server-process.ts', import.meta.url))

const MOMENT = 1_000
const STARTING = 700
const POINT_WITHIN = 15_000
const ENDS_WITHIN = 60_000
const VIOLATIONS_SHOWN = 200

const plannedKills = (draw: SeededRandom, { kills, each }: CrashOptions) => {
  const starts = Math.floor(kills / 10)
  return draw.shuffle<KillAt>([
    ...Array<KillAt>(kills - starts).fill('a random moment'),
    ...Array<KillAt>(starts).fill('the start'),
    ...ALL_KILL_POINTS.flatMap((point) => Array<KillAt>(each).fill(point)),
  ])
}

// Kill at the n-th pass of a point: sometimes at once, mostly during the work.
const drawPassCount = ({ below }: SeededRandom): number => 1 + below(below(2) === 0 ? 5 : 60)

export const crashPlan =
  (options: CrashOptions): FaultPlan<CrashFacts> =>
  async ({ seed, onViolation, violationCount, say }) => {
    const draw = seededRandom(seed, 'kills')
    const folder = mkdtempSync(join(tmpdir(), 'plazo-crash-'))
    const file = join(folder, 'plazo.db')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const killed: Record<string, number> = {}
    let server: ServerProcess | null = null

    const database = await sqliteDatabase(file)

    const start = (kill: Readonly<Record<string, string>> = {}): ServerProcess => {
      const env = { PORT: String(port), BASE_URL: url, ...database.env, ...kill }
      server = spawnServer({ main: SERVER, env })
      return server
    }

    const checkEnd = async (
      { ended, output }: ServerProcess,
      expected: NodeJS.Signals | number,
    ): Promise<void> => {
      const how = await ended
      if (how !== expected) onViolation(`The server ended with ${how}:\n${output()}`)
      for (const line of errorsIn(output())) onViolation(`The server logged an error: ${line}`)
    }

    /** False if the point was not reached, and the server was killed while it waited. */
    const killOnce = async (at: KillAt, { merchants }: Load): Promise<boolean> => {
      const current = start(
        isKillPoint(at) ? { KILL_AT: at, KILL_ON: String(drawPassCount(draw)) } : {},
      )
      const kill = (): void => void current.child.kill('SIGKILL')
      const [starting, moment, request] = [
        draw.below(STARTING),
        draw.below(MOMENT),
        1 + draw.below(8),
      ]
      if (at === 'the start') {
        await Promise.race([pause(starting), current.ended])
        kill()
      } else if ((await current.listening) !== null) {
        if (at === 'a random moment') await Promise.race([pause(moment), current.ended]).then(kill)
        else if (at === 'the receiver') merchants.onRequest(request, kill)
      }
      let wasReached = true
      const patience = setTimeout(() => {
        wasReached = false
        kill()
      }, POINT_WITHIN)
      await current.ended
      clearTimeout(patience)
      merchants.onRequest(0, () => {})
      await checkEnd(current, 'SIGKILL')
      return wasReached
    }

    return {
      url,
      endsWithin: ENDS_WITHIN,
      hasMovingClock: true,
      disturb: async (load, remember) => {
        const planned = plannedKills(draw, options)
        for (const [index, at] of planned.entries()) {
          // The point was not reached. It is still a kill, but not one at this point.
          const reached = (await killOnce(at, load)) ? at : 'nowhere in particular'
          killed[reached] = (killed[reached] ?? 0) + 1
          const count = index + 1
          const check = remember()
          check(await copiedSnapshot(file))
          if (count % 10 === 0 || count === planned.length)
            say(
              `${String(count).padStart(5)} kills of ${planned.length}: ${load.journeys.length} orders placed, ${load.merchants.received.length} requests received, ${violationCount()} violations`,
            )
          if (violationCount() > VIOLATIONS_SHOWN) return
        }
      },
      recover: async () => {
        const current = start()
        if ((await current.listening) === null)
          onViolation(`The server does not start again:\n${current.output()}`)
      },
      stop: async () => {
        if (server === null) return
        server.child.kill('SIGTERM')
        await checkEnd(server, 0)
      },
      snapshot: database.snapshot,
      facts: async () => ({ killed, folder: violationCount() === 0 ? null : folder }),
      close: async () => {
        server?.child.kill('SIGKILL')
        if (violationCount() === 0) rmSync(folder, { recursive: true, force: true })
      },
    }
  }
