// How many files and sockets this process may have open. Deliveries stay well below it: at the limit nothing works any more,
// neither merchants' requests nor the database.

/** The part of a process's descriptors that deliveries may have in flight. As many again may be kept for the next request. */
const PART = 4

type Report = { readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } } }

/** Null where the system tells none, or there is none. */
export const openFilesLimit = (): number | null => {
  const { report } = process
  if (report === undefined) return null
  // Names of network interfaces are not needed, and looking them up takes time.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as Report
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' && soft > 0 ? soft : null
}

/** `wanted`: the setting. At least two: one for every merchant, and one for good ones. */
export const socketsWithin = (wanted: number, openFiles: number | null): number =>
  openFiles === null ? wanted : Math.max(2, Math.min(wanted, Math.floor(openFiles / PART)))
