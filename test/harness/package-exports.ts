// Lists the public entries of a package from its source, and the names that each exports.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Every name that a file exports, and the members of each namespace, such as `money.sum`. */
export const publicNamesOf = (file: string): readonly string[] => {
  const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const matches = (form: RegExp) => [...code.matchAll(form)]
  const namesIn = (target: string) => publicNamesOf(resolve(dirname(file), target))
  const declared = /^export (?:declare |async )*(?:const|type|function|class) (\w+)/gm
  const names = [
    ...matches(declared).map(([, name = '']) => name),
    ...matches(/^export (?:type )?\{([^}]*)\}/gm).flatMap(
      ([, list = '']) => list.match(/\w+(?=\s*(?:,|$))/g) ?? [],
    ),
    ...matches(/^export \* from '(\.[^']+)'/gm).flatMap(([, target = '']) => namesIn(target)),
    ...matches(/^export \* as (\w+) from '(\.[^']+)'/gm).flatMap(([, name = '', target = '']) => [
      name,
      ...namesIn(target).map((member) => `${name}.${member}`),
    ]),
  ]
  return [...new Set(names)]
}

/** The source of each public import path of a package: all but those named `…/internal`. */
export const entryPointsOf = (folder: string): ReadonlyMap<string, string> => {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return new Map(
    Object.entries<string>(exports)
      .filter(([door, file]) => !door.includes('/internal') && file.endsWith('.ts'))
      .map(([door, file]) => [join(name, door), join(folder, file)]),
  )
}
