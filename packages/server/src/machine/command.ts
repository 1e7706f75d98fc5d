// `plazo machine`: prints the statechart as text for other tools, generated from the machine
// itself. With an order it draws the path that the order took, so that a support case can show it
// without a running server.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { historyLine } from '@plazo/core'
import { mermaidOf, orderGraph } from '@plazo/core/diagram'
import { type Command, Option } from 'commander'
import { type Json, PlazoCommand, withStorage } from '../command-line/command.ts'
import { findOneOrder } from '../command-line/find-order.ts'
import { refuseValue, say, valueOrRefuse, wholeNumber } from '../command-line/terminal.ts'
import { readStyle } from '../http/page/browser-files.ts'
import { MACHINE_MAP, PICTURES } from './machine-data.ts'
import { machineFiles } from './machine-files.ts'
import { findOrderPath } from './order-path.ts'
import { highlightOf, svgOf } from './picture.ts'

const FORMATS: { readonly [format: string]: () => string } = {
  mermaid: () => mermaidOf(orderGraph),
  json: () => JSON.stringify(orderGraph, null, 2),
}
const NAMES = Object.keys(FORMATS)

type Options = Json & { readonly format: string } & {
  readonly [option in 'order' | 'at' | 'out']?: string
}

const writeAll = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true }).catch(() =>
    refuseValue('--out', folder, 'a folder, or a path where one can be created'),
  )
  for (const [name, content] of Object.entries(await machineFiles())) {
    await writeFile(join(folder, name), content)
    say(join(folder, name))
  }
}

const drawOrder = withStorage(
  async ({ store }, reference: string, { at, out = '-' }: Options, _command: Command) => {
    const { orderRef } = (await findOneOrder({ store }, reference)).placed
    const journal = await valueOrRefuse(store.journal(orderRef), {
      OrderNotFound: () => 'The order no longer exists.',
    })
    const last = at === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--at', at, 1_000_000)
    const steps = findOrderPath(MACHINE_MAP, journal.map(historyLine)).filter(
      ({ seq }) => seq <= last,
    )
    const title = `Order ${orderRef}${at === undefined ? '' : ` at event ${at}`}`
    const style = await readStyle('machine/picture.css')
    const picture = svgOf(PICTURES, { highlight: highlightOf(steps), style, title })
    if (out === '-') return say(picture)
    await writeFile(out, `${picture}\n`).catch(() =>
      refuseValue('--out', out, 'a file that can be written, or -'),
    )
    say(out)
  },
)

const show = async (options: Options, command: Command): Promise<void> => {
  const { format, json, order, at, out } = options
  if (order !== undefined) return drawOrder(order, options, command)
  if (at !== undefined) return refuseValue('--at', at, 'given together with --order')
  if (out !== undefined) return writeAll(out)
  const formatText =
    FORMATS[json ? 'json' : format] ?? refuseValue('--format', format, `one of ${NAMES.join(', ')}`)
  say(formatText().trimEnd())
}

export const machineCommand = (): PlazoCommand =>
  new PlazoCommand('machine')
    .description('prints the statechart of an order, or draws the path that one order took')
    .option('--format <format>', NAMES.join(', '), 'mermaid')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .orderOption('draws this order’s path as SVG')
    .option('--at <seq>', 'with --order: as the order was after this event of its history')
    .option(
      '--out <path>',
      'the folder for all formats and pictures (SVG); with --order: the file, or - for standard output',
    )
    .examples(
      'plazo machine > order.mmd',
      'plazo machine --json',
      'plazo machine --out ./machine',
      'plazo machine --order A-1042 --at 7 --out order.svg',
    )
    .action(show)
