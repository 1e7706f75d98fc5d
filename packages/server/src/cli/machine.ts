// `plazo machine`: prints the statechart as text for other tools, generated from the machine itself.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mermaidOf, orderGraph } from '@plazo/core/diagram'
import { Option } from 'commander'
import { type Json, PlazoCommand } from './command.ts'
import { refuseValue, say } from './terminal.ts'

/** `name`: of a file in this format. */
type Format = { readonly name: string; readonly write: () => string }

export const FORMATS: { readonly [format: string]: Format } = {
  mermaid: { name: 'order.mmd', write: () => mermaidOf(orderGraph) },
  json: { name: 'order.json', write: () => `${JSON.stringify(orderGraph, null, 2)}\n` },
}
const NAMES = Object.keys(FORMATS)

type Options = Json & { readonly format: string; readonly out?: string }

const writeAll = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true }).catch(() =>
    refuseValue('--out', folder, 'a folder, or a path where one can be created'),
  )
  for (const { name, write } of Object.values(FORMATS)) {
    await writeFile(join(folder, name), write())
    say(join(folder, name))
  }
}

const show = async ({ format, json, out }: Options): Promise<void> => {
  if (out !== undefined) return writeAll(out)
  const { write } =
    FORMATS[json ? 'json' : format] ?? refuseValue('--format', format, `one of ${NAMES.join(', ')}`)
  say(write().trimEnd())
}

export const machineCommand = (): PlazoCommand =>
  new PlazoCommand('machine')
    .description('prints the statechart of an order')
    .option('--format <format>', NAMES.join(', '), 'mermaid')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--out <folder>', 'writes a file in each format into this folder')
    .examples('plazo machine > order.mmd', 'plazo machine --json', 'plazo machine --out ./machine')
    .action(show)
