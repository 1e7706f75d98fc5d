// The entries of a package and their public names: what `pnpm size` counts and what tests of the packed
// packages import.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The file of each import path of a package, except the internal ones. */
export const entryPointsOf = (folder: string): ReadonlyMap<string, string> => {
  const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return new Map(
    Object.entries<string>(exports)
      .filter(([path]) => !/^\.\/(?:internal|package\.json)/.test(path))
      .map(([path, file]) => [join(name, path), join(folder, file)]),
  )
}

const EXPORT =
  /^export (?:type )?(?:\{([^}]*)\}|\* as (\w+) from '([^']+)'|\* from '([^']+)'|(?:declare |async )*(?:const|type|function|class) (\w+))/gm

/** All names that a file exports. A namespace also has each of its members, such as `money.sum`. */
export const publicNamesOf = (file: string): ReadonlySet<string> => {
  const namesIn = (target = '') => [...publicNamesOf(resolve(dirname(file), target))]
  const exported = [...readFileSync(file, 'utf8').matchAll(EXPORT)].flatMap(
    ([, list, namespace, members, all, own]) => {
      if (list !== undefined)
        return list.split(',').map((part) => part.trim().replace(/^type |^.* as /g, ''))
      if (namespace !== undefined)
        return [namespace, ...namesIn(members).map((name) => `${namespace}.${name}`)]
      return own === undefined ? namesIn(all) : [own]
    },
  )
  return new Set(exported.filter((name) => name !== ''))
}
