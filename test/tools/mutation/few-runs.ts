// Also limits the properties that do not set a number of runs.
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: Number(process.env.RUNS) })
