// `plazo machine`: prints the statechart as text for other tools, generated from the machine itself.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mermaidOf, orderGraph, scxmlOf } from '@plazo/core/diagram'
import { Option } from 'commander'
import { machineFiles } from '../machine/machine-files.ts'
import { PlazoCommand } from './command.ts'
import { refuseValue, say } from './terminal.ts'

const FORMATS: { readonly [format: string]: () => string } = {
  mermaid: () => mermaidOf(orderGraph),
  scxml: () => scxmlOf(orderGraph),
  json: () => JSON.stringify(orderGraph, null, 2),
}
const NAMES = Object.keys(FORMATS)

type Options = { readonly format: string; readonly json?: boolean; readonly out?: string }

const writeAll = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true }).catch(() =>
    refuseValue('--out', folder, 'a folder, or a path where one can be created'),
  )
  for (const [name, content] of Object.entries(machineFiles())) {
    await writeFile(join(folder, name), content)
    say(join(folder, name))
  }
}

const show = async ({ format, json, out }: Options): Promise<void> => {
  if (out !== undefined) return writeAll(out)
  const formatText = FORMATS[json ? 'json' : format] ?? refuseValue('--format', format, `one of ${NAMES.join(', ')}`)
  say(formatText().trimEnd())
}

export const machineCommand = (): PlazoCommand =>
  new PlazoCommand('machine')
    .description('prints the statechart of an order')
    .option('--format <format>', NAMES.join(', '), 'mermaid')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--out <folder>', 'writes all of them there instead, and pictures (SVG)')
    .examples('plazo machine > order.mmd', 'plazo machine --format scxml', 'plazo machine --out ./machine')
    .action(show)
