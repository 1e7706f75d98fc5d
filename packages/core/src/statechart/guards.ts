// Compiles guards to functions, so that a name is looked up once and an unsupported guard fails before the first event.
import { and, matchesState, not, or, type StateValue, stateIn } from 'xstate'
import { refuse } from './refuse.ts'
import type { Guard, Machine, Scope } from './run.ts'

type Condition = (scope: Scope, params: unknown) => unknown
type BuiltInGuard = { readonly check: unknown; readonly guards: readonly unknown[]; readonly stateValue: StateValue }
type NamedGuard = { readonly type: string; readonly params?: unknown }

/**
 * XState's private shape of a built-in guard: a function with `check`, and with its arguments as `guards` or `stateValue`.
 * There is no public way to read them. Null: an ordinary function.
 */
const builtInOf = (guard: unknown): BuiltInGuard | null =>
  typeof guard === 'function' && 'check' in guard ? (guard as unknown as BuiltInGuard) : null

// Only `check` tells the built-in guards apart. The functions' names are unreliable because bundlers rename them.
const checkOf = (guard: unknown): unknown => builtInOf(guard)?.check
const CHECKS = {
  and: checkOf(and([])),
  or: checkOf(or([])),
  not: checkOf(not('any guard')),
  stateIn: checkOf(stateIn('any state')),
}

/** Compiles the guards of one machine. `place` is the state that the guard belongs to, for the error message. */
export const guardCompiler = (machine: Machine): ((guard: unknown, place: string) => Guard) => {
  const compileStateIn = (value: StateValue): Guard => {
    if (typeof value !== 'string' || !value.startsWith('#')) return (_, active) => matchesState(value, active.value)
    const node = machine.getStateNodeById(value)
    return (_, active) => active.nodes.has(node)
  }

  const compileBuiltIn = (guard: BuiltInGuard, place: string, outer: readonly string[]): Guard => {
    if (guard.check === CHECKS.stateIn) return compileStateIn(guard.stateValue)
    const all = () => guard.guards.map((each) => compile(each, place, outer))
    if (guard.check === CHECKS.and) {
      const guards = all()
      return (scope, active) => guards.every((holds) => holds(scope, active))
    }
    if (guard.check === CHECKS.or) {
      const guards = all()
      return (scope, active) => guards.some((holds) => holds(scope, active))
    }
    if (guard.check !== CHECKS.not) return refuse(place, 'a built-in guard other than and, or, not and stateIn')
    const holds = compile(guard.guards[0], place, outer)
    return (scope, active) => !holds(scope, active)
  }

  const compileNamed = ({ type, params }: NamedGuard, place: string, outer: readonly string[]): Guard => {
    if (outer.includes(type)) return refuse(place, `the guard "${type}", which refers to itself`)
    const named = machine.implementations.guards[type] as unknown
    if (typeof named !== 'function') return refuse(place, `the guard "${type}", which is not implemented as a function`)
    const builtIn = builtInOf(named)
    if (builtIn !== null) return compileBuiltIn(builtIn, place, [...outer, type])
    // An ordinary function has the type of a guard; XState checked it where the machine was set up.
    const condition = named as Condition
    if (typeof params !== 'function') return (scope) => Boolean(condition(scope, params))
    return (scope) => Boolean(condition(scope, params(scope)))
  }

  const compile = (guard: unknown, place: string, outer: readonly string[]): Guard => {
    const builtIn = builtInOf(guard)
    if (builtIn !== null) return compileBuiltIn(builtIn, place, outer)
    if (typeof guard === 'function') return (scope) => Boolean(guard(scope, undefined))
    // A guard that is no function is a name, or an object with a name: XState's public type says so.
    return compileNamed(typeof guard === 'string' ? { type: guard } : (guard as NamedGuard), place, outer)
  }

  return (guard, place) => compile(guard, place, [])
}
