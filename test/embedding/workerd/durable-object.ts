// Runs in workerd: a Durable Object whose storage keeps the contract of a base. The tests of the contract
// run one after another, each in its own Durable Object, because storage cannot be replaced.
import {
  type DurableObjectStorage,
  durableObjectRows,
  type RowsCipher,
  rowsCipher,
  storeOver,
} from '@plazo/adapters/internal/rows'
import { baseContract, erasureContract, type Runner } from '@plazo/core/testing/contracts'
import { expect } from 'expect'

type Test = { readonly title: string; readonly run: () => Promise<void> }

/** The tests that a contract defines, each with the hooks around it. */
const collectTests = (define: (runner: Runner) => void): readonly Test[] => {
  const tests: Test[] = []
  let titles: readonly string[] = []
  let before: readonly (() => unknown)[] = []
  let after: readonly (() => unknown)[] = []
  define({
    expect,
    describe: (title, defineGroup) => {
      const outer = { titles, before, after }
      titles = [...titles, title]
      defineGroup()
      ;({ titles, before, after } = outer)
    },
    beforeEach: (prepare) => {
      before = [...before, prepare]
    },
    afterEach: (cleanUp) => {
      after = [cleanUp, ...after]
    },
    it: (title, check) => {
      const hooks = { before, after }
      const run = async (): Promise<void> => {
        for (const prepare of hooks.before) await prepare()
        await check()
        for (const cleanUp of hooks.after) await cleanUp()
      }
      tests.push({ title: [...titles, title].join(' > '), run })
    },
  })
  return tests
}

const MASTER_KEY = `k:${btoa('0123456789abcdef'.repeat(2))}`

let storage: DurableObjectStorage

const open = async (cipher?: RowsCipher) => ({
  ...storeOver(durableObjectRows(storage), cipher),
  isSlow: true as const,
  close: async () => {},
})

const openEncrypted = async () => open(await rowsCipher(MASTER_KEY))

const TESTS = collectTests((runner) => {
  baseContract(runner, 'a store in a Durable Object', () => open())
  erasureContract(runner, 'an encrypted store in a Durable Object', openEncrypted)
})

class Orders {
  readonly state: { readonly storage: DurableObjectStorage }

  constructor(state: { readonly storage: DurableObjectStorage }) {
    this.state = state
  }

  async fetch(request: Request): Promise<Response> {
    const test = TESTS[Number(new URL(request.url).searchParams.get('test'))]
    storage = this.state.storage
    try {
      await test?.run()
      return Response.json({ title: test?.title, error: null })
    } catch (error) {
      return Response.json({ title: test?.title, error: String(error) })
    }
  }
}

type Environment = {
  readonly ORDERS: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(url: string): Promise<Response> }
  }
}

export { Orders }

export default {
  async fetch(_request: Request, { ORDERS }: Environment): Promise<Response> {
    const results: unknown[] = []
    for (const test of TESTS.keys()) {
      const object = ORDERS.get(ORDERS.idFromName(String(test)))
      results.push(await (await object.fetch(`http://object/?test=${test}`)).json())
    }
    return Response.json(results)
  },
}
