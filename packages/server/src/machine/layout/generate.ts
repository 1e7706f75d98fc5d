// Makes the data from which pictures and pages of the statechart are drawn. It needs the layout library, which the package does
// not carry.
import { orderGraph } from '@plazo/core/diagram'
import { arrangeRegion } from './arrange.ts'
import { machineMapOf, stateCardsOf } from './machine-map.ts'

const REGIONS = ['checkout', 'risk', 'cancellation']

/** `text`: the content of machine-data.json. */
export const generateMachineData = async () => {
  const arrangements = await Promise.all(REGIONS.map((region) => arrangeRegion(orderGraph, region)))
  const data = { arrangements, map: machineMapOf(orderGraph), cards: stateCardsOf(orderGraph) }
  return { arrangements, text: `${JSON.stringify(data, null, 1)}\n` }
}
