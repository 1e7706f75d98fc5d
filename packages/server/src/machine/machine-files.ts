// Generates everything that is drawn or derived from the statechart. `pnpm machine` writes it; a test compares what is committed.
import { mermaidOf, orderGraph, scxmlOf } from '@plazo/core/diagram'
import { arrangeRegion } from './arrange.ts'
import { machineMapOf, stateCardsOf } from './machine-map.ts'
import { svgOf } from './picture.ts'

const REGIONS = ['checkout', 'risk', 'cancellation']

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`

/** `pictures`: the files of docs/machine/, except its README. `data`: machine-data.json in this folder. */
export const machineFiles = async () => {
  const arrangements = await Promise.all(REGIONS.map((region) => arrangeRegion(orderGraph, region)))
  return {
    pictures: {
      ...Object.fromEntries(arrangements.map((each) => [`${each.region}.svg`, svgOf(each, { hasStyle: true })])),
      'order.mmd': mermaidOf(orderGraph),
      'order.scxml': scxmlOf(orderGraph),
      'order.json': `${JSON.stringify(orderGraph, null, 2)}\n`,
    },
    data: asJson({ arrangements, map: machineMapOf(orderGraph), cards: stateCardsOf(orderGraph) }),
  }
}
