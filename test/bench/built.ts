/** The bench as it was built: measuring processes and threads can only start from built files. */

const dist = new URL('../../dist/bench/', import.meta.url)

export const builtCatalogue = (): Promise<typeof import('../../bench/contenders/catalogue.js')> =>
  import(new URL('contenders/catalogue.js', dist).href)

export const builtMeasure = (): Promise<typeof import('../../bench/harness/measure.js')> =>
  import(new URL('harness/measure.js', dist).href)

export const builtPool = (): Promise<typeof import('../../bench/probes/pool.js')> =>
  import(new URL('probes/pool.js', dist).href)

export const builtCalibration = (): Promise<typeof import('../../bench/harness/calibration.js')> =>
  import(new URL('harness/calibration.js', dist).href)
