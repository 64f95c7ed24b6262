/** Compiled, never run: whoever keeps a part of the public surface in a variable of their own can write its type down. */

import type {
  BadRecordPolicy,
  BatchRun,
  Clock,
  FailedRecord,
  InputPosition,
  MapFileOptions,
  mapFile,
  RandomSource,
  RecordCodecOptions,
  RecordError,
  RecordPool,
  RecordPoolOptions,
  RetryOptions,
  TaskLimits,
  TaskRunner,
} from '../../src/batch/index.js'
import type {
  Dispatcher,
  DurationCounts,
  ErrorDetails,
  EvenkeelError,
  FactorName,
  FailureKind,
  LoadCeilings,
  LoadCoefficients,
  LoadOptions,
  LoadSmoothing,
  TaskCounts,
  TaskModuleType,
  UntypedModule,
} from '../../src/index.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function holds<_Fact extends true>(): void {}

holds<Same<NonNullable<LoadOptions['coefficients']>, LoadCoefficients>>()
holds<Same<NonNullable<LoadOptions['ceilings']>, LoadCeilings>>()
holds<Same<NonNullable<LoadOptions['smoothing']>, LoadSmoothing>>()
holds<Same<keyof LoadCoefficients, FactorName>>()
holds<Same<keyof TaskCounts['retries'], FailureKind>>()
holds<Same<ReturnType<Dispatcher['durations']>['run'], DurationCounts>>()
holds<Same<NonNullable<ConstructorParameters<typeof EvenkeelError>[2]>, ErrorDetails>>()
holds<Same<Dispatcher, Dispatcher<UntypedModule>>>()

/** A wrapper of the dispatcher that is as generic as the dispatcher. */
export class Service<Tasks extends TaskModuleType = UntypedModule> {
  readonly pool: Dispatcher<Tasks>

  constructor(pool: Dispatcher<Tasks>) {
    this.pool = pool
  }
}

holds<Same<NonNullable<MapFileOptions['onBadRecord']>, BadRecordPolicy>>()
holds<Same<NonNullable<MapFileOptions['retries']>, Partial<RetryOptions>>>()
holds<Same<NonNullable<MapFileOptions['clock']>, Clock>>()
holds<Same<NonNullable<MapFileOptions['random']>, RandomSource>>()
holds<Same<FailedRecord['error'], RecordError>>()
holds<Same<BatchRun['position'], InputPosition>>()
holds<Same<NonNullable<RecordPoolOptions['codec']>, RecordCodecOptions>>()
holds<Same<NonNullable<Parameters<TaskRunner['run']>[2]>, TaskLimits>>()
holds<Same<Parameters<typeof mapFile>[0], TaskRunner | RecordPool>>()
