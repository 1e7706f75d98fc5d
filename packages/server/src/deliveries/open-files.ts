// Keeps deliveries well below the number of files and sockets that this process may open. At that limit nothing works any more,
// neither merchants' requests nor the database.

/** Deliveries in flight may use one fourth of a process's descriptors. As many again may be kept open for the next request. */
const FILES_PER_SOCKET = 4

type Report = { readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } } }

/** Null if the system reports no limit, or has none. */
export const readOpenFilesLimit = (): number | null => {
  const { report } = process
  if (report === undefined) return null
  // Names of network interfaces are not needed, and looking them up takes time.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as Report
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' && soft > 0 ? soft : null
}

/** `requested`: the setting. At least two: one for every merchant, and one for good ones. */
export const limitSockets = (requested: number, openFiles: number | null): number =>
  openFiles === null ? requested : Math.max(2, Math.min(requested, Math.floor(openFiles / FILES_PER_SOCKET)))
