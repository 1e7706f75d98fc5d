// The properties that do not say how often they run do so a few times too.
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: Number(process.env.RUNS) })
