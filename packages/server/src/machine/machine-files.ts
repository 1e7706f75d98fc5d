// The statechart as files: pictures, and texts for other tools. They are checked in at
// docs/machine/, and `plazo machine` writes them anywhere.
import { mermaidOf, orderGraph } from '@plazo/core/diagram'
import type { Arrangement } from './arrangement.ts'
import { ARRANGEMENTS } from './machine-data.ts'
import { svgOf } from './picture.ts'

/** Names and contents of the files in docs/machine/, except its README. */
export const machineFiles = (
  arrangements: readonly Arrangement[] = ARRANGEMENTS,
): { readonly [name: string]: string } => ({
  ...Object.fromEntries(
    arrangements.map((each) => [`${each.region}.svg`, svgOf(each, { hasStyle: true })]),
  ),
  'order.mmd': mermaidOf(orderGraph),
  'order.json': `${JSON.stringify(orderGraph, null, 2)}\n`,
})
