// `plazo machine`: prints the statechart as text for other tools, generated from the machine itself.
import { mermaidOf, orderGraph } from '@plazo/core/diagram'
import { Option } from 'commander'
import { type Json, PlazoCommand } from './command.ts'
import { say } from './terminal.ts'

export const FORMATS = {
  mermaid: (): string => mermaidOf(orderGraph),
  json: (): string => `${JSON.stringify(orderGraph, null, 2)}\n`,
}

type Options = Json & { readonly format: keyof typeof FORMATS }

export const machineCommand = (): PlazoCommand =>
  new PlazoCommand('machine')
    .description('prints the statechart of an order')
    .addOption(new Option('--format <format>').choices(Object.keys(FORMATS)).default('mermaid'))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .examples('plazo machine > order.mmd')
    .action(async ({ format, json }: Options) => say(FORMATS[json ? 'json' : format]().trimEnd()))
