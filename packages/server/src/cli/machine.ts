// `plazo machine`: prints the statechart as text for other tools, generated from the machine itself.
import { mermaidOf, orderGraph } from '@plazo/core/machine'
import { type Json, PlazoCommand } from './command.ts'
import { say } from './terminal.ts'

export const machineCommand = (): PlazoCommand =>
  new PlazoCommand('machine')
    .description('prints the statechart of an order for Mermaid')
    .json(' in place of it')
    .examples('plazo machine > order.mmd')
    .action(async ({ json }: Json) =>
      say(json ? JSON.stringify(orderGraph, null, 2) : mermaidOf(orderGraph).trimEnd()),
    )
