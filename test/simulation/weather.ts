// How bad the conditions currently are. The faults set it, and everything that draws failures reads it.

export type Weather = {
  isCalm: boolean
  badNetwork: number
  providersFail: number
  slowDisk: number
  fullDisk: number
  failingCommits: number
}

export const newWeather = (): Weather => ({
  isCalm: false,
  badNetwork: 0,
  providersFail: 0,
  slowDisk: 0,
  fullDisk: 0,
  failingCommits: 0,
})

/** True if the store may currently report that it is unavailable. */
export const storeMayFail = ({ fullDisk, failingCommits }: Weather): boolean => fullDisk > 0 || failingCommits > 0
