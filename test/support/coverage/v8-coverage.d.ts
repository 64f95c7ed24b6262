/** The one function used of a package that brings no types. */
declare module '@bcoe/v8-coverage' {
  import type { Profiler } from 'node:inspector'

  export interface ProcessCoverage {
    result: Profiler.ScriptCoverage[]
  }

  export function mergeProcessCovs(processes: readonly ProcessCoverage[]): ProcessCoverage
}
