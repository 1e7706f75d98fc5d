// Tests of the source read every file of a folder, while another test packs the packages and builds
// below `dist`. So folders that hold no source are not entered.
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const WITHOUT_SOURCE = ['node_modules', 'generated', 'dist']

/** The paths of source files from the root of the repository. */
export const filesUnder = (folder: string, kind: RegExp): readonly string[] =>
  globSync(`${folder}/**`, {
    cwd: root,
    exclude: (path) => WITHOUT_SOURCE.includes(basename(path)),
  })
    .filter((file) => kind.test(file))
    .toSorted()
