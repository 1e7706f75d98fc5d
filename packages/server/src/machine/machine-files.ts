// The statechart as files: pictures, and texts for other tools. They are checked in at
// docs/machine/, and `plazo machine` writes them anywhere.
import { mermaidOf, orderGraph } from '@plazo/core/diagram'
import { readStyle } from '../http/page/browser-files.ts'
import type { Arrangement } from './arrangement.ts'
import { ARRANGEMENTS } from './machine-data.ts'
import { svgOf } from './picture.ts'

/** Names and contents of the files in docs/machine/, except its README. */
export const machineFiles = async (
  arrangements: readonly Arrangement[] = ARRANGEMENTS,
): Promise<{ readonly [name: string]: string }> => {
  const style = await readStyle('machine/picture.css')
  return {
    ...Object.fromEntries(
      arrangements.map((each) => [`${each.region}.svg`, svgOf(each, { style })]),
    ),
    'order.mmd': mermaidOf(orderGraph),
    'order.json': `${JSON.stringify(orderGraph, null, 2)}\n`,
  }
}
