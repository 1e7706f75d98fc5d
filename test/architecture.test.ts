// Imports point one way: server → adapters → core, and inside core statechart and protocol ← order ← delivery ← ports ← explanation ← checkout.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allEntryPointsOf } from './harness/package-exports.ts'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

const sources = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => join(folder, file))

/** The code of a file without its comments, which may have examples. */
const codeOf = (file: string): string =>
  readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')

const importsOf = (file: string): readonly string[] =>
  [...codeOf(file).matchAll(/(?:from|import)\s+'([^']+)'/g)].map(([, target = '']) => target)

const core = join(packages, 'core/src')

/** For each folder of core, the other folders that it may import. */
const ARROWS: { readonly [folder: string]: readonly string[] } = {
  statechart: [],
  protocol: [],
  order: ['statechart', 'protocol'],
  delivery: ['protocol', 'order'],
  ports: ['protocol', 'order', 'delivery'],
  explanation: ['protocol', 'order', 'delivery', 'ports'],
  checkout: ['protocol', 'order', 'delivery', 'ports', 'explanation'],
  diagram: ['protocol', 'order'],
  testing: ['protocol', 'order', 'delivery', 'ports', 'checkout'],
}

const folderOf = (file: string): string => relative(core, file).split(sep)[0] ?? ''

describe('the core', () => {
  it.each(Object.keys(ARROWS))('%s imports only the folders below it', (folder) => {
    const wrong = sources(join(core, folder)).flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => folderOf(resolve(dirname(file), target)))
        .filter((target) => target !== folder && ARROWS[folder]?.includes(target) !== true)
        .map((target) => `${relative(packages, file)} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('imports nothing but fp-ts, io-ts and xstate', () => {
    const allowed = /^(\.|fp-ts\/lib\/|io-ts$|xstate(\/guards)?$)/
    const wrong = sources(core)
      .filter((file) => folderOf(file) !== 'testing')
      .flatMap((file) => importsOf(file).filter((target) => !allowed.test(target)))
    expect(wrong).toEqual([])
  })

  it('reads no clock, uses no random values, waits for nothing and prints nothing', () => {
    const impure =
      /Date\.now|new Date\(\)|Math\.random|randomUUID|setTimeout|setInterval|console\.|process\.|from 'node:/
    const runner = join(core, 'testing/runners/node.ts')
    const wrong = sources(core)
      .filter((file) => file !== runner && impure.test(codeOf(file)))
      .map((file) => relative(packages, file))
    expect(wrong).toEqual([])
  })

  it('has an interpreter of statecharts that imports only xstate', () => {
    const imported = sources(join(core, 'statechart')).flatMap(importsOf)
    expect([...new Set(imported.filter((target) => !target.startsWith('.')))]).toEqual([
      'xstate',
      'xstate/guards',
    ])
  })

  it('prepares the machine in a single file, and steps it in another', () => {
    const callers = sources(core).filter(
      (file) =>
        folderOf(file) !== 'statechart' &&
        file !== join(core, 'internal.ts') &&
        importsOf(file).some((target) => target.endsWith('/run-machine.ts')),
    )
    expect(callers.map((file) => relative(core, file)).sort()).toEqual([
      join('order', 'model.ts'),
      join('order', 'step.ts'),
    ])
  })

  it('is imported only through its entries', () => {
    const entries = [...allEntryPointsOf(join(packages, 'core')).keys()]
    const wrong = ['adapters', 'server'].flatMap((name) =>
      sources(join(packages, name, 'src')).flatMap((file) =>
        importsOf(file).filter(
          (target) =>
            target.includes('core/src') ||
            (target.startsWith('@plazo/core') && !entries.includes(target)),
        ),
      ),
    )
    expect(wrong).toEqual([])
  })
})

/** What the files of an entry of the adapters import of other packages, types apart. */
const reachedFrom = (entry: string): readonly string[] => {
  const reached = new Set<string>()
  const reach = (file: string): readonly string[] => {
    if (reached.has(file)) return []
    reached.add(file)
    const types = [...codeOf(file).matchAll(/(?:import|export) type [^']*from '([^']+)'/g)]
    const typesOnly = new Set(types.map(([, target]) => target))
    return importsOf(file)
      .filter((target) => !typesOnly.has(target))
      .flatMap((target) =>
        target.startsWith('.') ? reach(resolve(dirname(file), target)) : target,
      )
  }
  return reach(join(packages, 'adapters/src', entry, 'index.ts'))
}

describe('the adapters', () => {
  it.each(['host', 'fetch', 'memory', 'rows', 'system'])('run %s without Node', (entry) => {
    expect(reachedFrom(entry).filter((target) => target.startsWith('node:'))).toEqual([])
  })

  it('do not import the server', () => {
    const wrong = sources(join(packages, 'adapters/src')).flatMap((file) =>
      importsOf(file).filter((target) => /@plazo\/server|^hono|server\/src/.test(target)),
    )
    expect(wrong).toEqual([])
  })

  // A connection prepares one statement per name, and refuses another with the same name.
  it('give each PostgreSQL statement its own name', () => {
    const names = sources(join(packages, 'adapters/src/postgres')).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b(?:statement|listStatement)\('([^']+)'/g)].map(
        ([, name = '']) => name,
      ),
    )
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name, n) => names.indexOf(name) < n)).toEqual([])
  })

  it('receive for a merchant on any host, and use only the cryptography of Node', () => {
    const imported = reachedFrom('merchant')
    expect([...new Set(imported)].filter((target) => !target.startsWith('fp-ts/')).sort()).toEqual([
      '@plazo/core',
      '@plazo/core/internal',
      '@plazo/core/signing',
      'node:crypto',
    ])
  })
})

// A store of its own has parts that the other does not need.
const ONLY_SQLITE =
  /^(commit|order-columns)\.ts|^(wal|writer)\/|^queries\/journal\.ts|^schema\/(backup|database)\.ts/
const ONLY_POSTGRES = /^(connection|sql)\//

describe('the SQLite and the PostgreSQL store', () => {
  it('have the same file names for the same concepts', () => {
    const filesOf = (store: string, overrides: RegExp): readonly string[] =>
      sources(join(packages, 'adapters/src', store))
        .map((file) =>
          relative(join(packages, 'adapters/src', store), file)
            .split(sep)
            .join('/'),
        )
        .filter((file) => !overrides.test(file))
        .sort()
    expect(filesOf('sqlite', ONLY_SQLITE)).toEqual(filesOf('postgres', ONLY_POSTGRES))
  })
})

/** For each folder of the server, the other folders that it may import by their paths. */
const SERVER: { readonly [folder: string]: readonly string[] } = {
  api: ['http', 'settings'],
  background: ['log', 'settings'],
  cli: [
    'api',
    'background',
    'console',
    'doctor',
    'host',
    'http',
    'merchants',
    'sandbox',
    'settings',
  ],
  console: ['api', 'background', 'doctor', 'http', 'merchants', 'settings'],
  doctor: ['background', 'settings'],
  elements: ['api', 'http'],
  host: ['api', 'background', 'console', 'http', 'log', 'merchants', 'settings'],
  http: ['background', 'log', 'settings'],
  internal: ['api', 'host', 'http', 'index.ts', 'log', 'merchants', 'settings'],
  log: ['settings'],
  merchants: ['settings'],
  sandbox: [],
  settings: [],
}

describe('the server', () => {
  it('chooses a store only in host/storage.ts, except for backup and doctor', () => {
    const stores = sources(join(packages, 'server/src')).filter((file) =>
      importsOf(file).some((target) =>
        /@plazo\/adapters\/(internal\/)?(sqlite|memory|postgres)/.test(target),
      ),
    )
    expect(stores.map((file) => relative(join(packages, 'server/src'), file)).sort()).toEqual([
      'cli/backup.ts',
      'cli/doctor.ts',
      'doctor/database.ts',
      'host/storage.ts',
    ])
  })

  it('has at most five files at its top, in addition to its index', () => {
    const top = readdirSync(join(packages, 'server/src')).filter(
      (name) => /(?<!\.test)\.ts$/.test(name) && name !== 'index.ts',
    )
    expect(top.length).toBeLessThanOrEqual(5)
  })

  it('has a sandbox that is a program: it imports its own files and the entries of packages', () => {
    const folder = join(packages, 'server/src/sandbox')
    const entries = ['core', 'adapters', 'server'].flatMap((name) => [
      ...allEntryPointsOf(join(packages, name)).keys(),
    ])
    const wrong = sources(folder).flatMap((file) =>
      importsOf(file)
        .filter((target) =>
          target.startsWith('.')
            ? relative(folder, resolve(dirname(file), target)).startsWith('..')
            : target.startsWith('@plazo/') &&
              !entries.includes(target) &&
              !/^@plazo\/server\/internal(?:\/|$)/.test(target),
        )
        .map((target) => `${relative(packages, file)} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('has folders that import only the folders below them', () => {
    const server = join(packages, 'server/src')
    const partOf = (file: string): string => relative(server, file).split(sep)[0] ?? ''
    const wrong = sources(server).flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('.') && file !== join(server, partOf(file)))
        .map((target) => partOf(resolve(dirname(file), target)))
        .filter((part) => part !== partOf(file) && !SERVER[partOf(file)]?.includes(part))
        .map((part) => `${relative(server, file)} imports ${part}`),
    )
    expect(wrong).toEqual([])
    expect(readdirSync(server).filter((name) => !name.includes('.'))).toEqual(Object.keys(SERVER))
  })
})
