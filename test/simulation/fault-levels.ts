// How bad the conditions currently are. The faults set it, and everything that draws failures reads it.

export type FaultLevels = {
  isCalm: boolean
  badNetwork: number
  providersFail: number
  slowDisk: number
  fullDisk: number
  failingCommits: number
}

export const newFaultLevels = (): FaultLevels => ({
  isCalm: false,
  badNetwork: 0,
  providersFail: 0,
  slowDisk: 0,
  fullDisk: 0,
  failingCommits: 0,
})

/** True if the store may currently report that it is unavailable. */
export const storeMayFail = ({ fullDisk, failingCommits }: FaultLevels): boolean => fullDisk > 0 || failingCommits > 0
