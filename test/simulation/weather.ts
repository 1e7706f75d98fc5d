// How bad it is just now, between everybody: read by whatever draws what goes wrong, set by the faults.

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

/** Whether the store may say that it cannot. */
export const storeMayFail = ({ fullDisk, failingCommits }: Weather): boolean => fullDisk > 0 || failingCommits > 0
