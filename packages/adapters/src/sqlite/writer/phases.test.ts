import { describe, expect, it } from 'vitest'
import { runAlone, runTogether, type WriterJob, waveFrom } from './phases.ts'

/** A job with this many phases. It logs each phase and returns `about`. */
const written = (log: string[], about: string, phases: number): WriterJob<string> => ({
  about,
  *phases() {
    for (let phase = 1; phase < phases; phase++) {
      log.push(`${about} ${phase}`)
      yield
    }
    log.push(`${about} ${phases}`)
    return about
  },
})

const nothing = (): WriterJob<unknown> => () => undefined

describe('the phases of jobs', () => {
  it('are gone through together: none goes on before all have come as far', () => {
    const log: string[] = []
    expect(runTogether([written(log, 'a', 3), written(log, 'b', 3)])).toEqual(['a', 'b'])
    expect(log).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 3', 'b 3'])
  })

  it('may end sooner for one than for another, and answer in the order the jobs came', () => {
    const log: string[] = []
    expect(runTogether([written(log, 'a', 3), written(log, 'b', 1), written(log, 'c', 2)])).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'c 2', 'a 3'])
  })

  it('are all gone through where a job runs alone', () => {
    const log: string[] = []
    expect(runAlone(written(log, 'a', 2))).toBe('a')
    expect(runAlone(() => log.length)).toBe(2)
  })

  it('are left where one throws', () => {
    const log: string[] = []
    const broken: WriterJob<never> = {
      about: 'b',
      *phases() {
        yield
        throw new Error('a fault')
      },
    }
    expect(() => runTogether([written(log, 'a', 3), broken])).toThrow('a fault')
    expect(log).toEqual(['a 1', 'a 2'])
  })
})

describe('a wave of jobs', () => {
  it('holds those in a row that are about different orders', () => {
    expect(waveFrom([written([], 'a', 1), written([], 'b', 1)], 0)).toBe(2)
    expect(waveFrom([written([], 'a', 1), written([], 'b', 1)], 1)).toBe(1)
  })

  it('ends before a second job about the same order, which is to see what the first has written', () => {
    expect(waveFrom([written([], 'a', 1), written([], 'b', 1), written([], 'a', 1)], 0)).toBe(2)
  })

  it('is a job alone where that may look at any order, and ends before such a one', () => {
    expect(waveFrom([nothing(), written([], 'a', 1)], 0)).toBe(1)
    expect(waveFrom([written([], 'a', 1), nothing(), written([], 'b', 1)], 0)).toBe(1)
  })

  it('is not so long that the time is looked at too late', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => written([], `${n}`, 1))
    expect(waveFrom(many, 0)).toBeLessThan(100)
  })
})
