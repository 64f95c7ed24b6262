/** Who may import whom, as data: the folder table of the README. An arrow that is not here is a fault. */

import type { Import, ImportGraph } from '../support/source/imports.js'

/** Folders (with a slash at the end) and files that a part may import besides its own. */
export interface Part {
  may: readonly string[]
  /** Only types of these, which the compiler erases. */
  mayTypes?: readonly string[]
  /** Only by `import(…)`, so that they cost nothing until used. */
  mayDynamic?: readonly string[]
  /** May import whatever `src/index.ts` takes from this folder, which is that folder's public surface. */
  maySurfaceOf?: string
}

/** What the package's `exports` name. */
const PUBLIC = [
  'src/index.ts',
  'src/task.ts',
  'src/selection/index.ts',
  'src/metrics/index.ts',
  'src/dashboard/index.ts',
]

/** What a pool tells of itself. */
const TOLD = ['src/dispatcher/options/events.ts', 'src/dispatcher/snapshot.ts']

const MECHANISM = ['src/base/', 'src/protocol/', 'src/board/', 'src/selection/', 'src/load/', 'src/engine/']

/** The rooms of the dispatcher, in their order: each may import those before it. */
const ROOMS = ['options', 'tasks', 'crew', 'places', 'routing', 'settling', 'watch', 'intake'].map(
  (name) => `src/dispatcher/${name}/`,
)

/** What each room of the batch folder may import besides the rooms below it. */
const BELOW_BATCH = ['src/base/', 'src/records/']

/** Rooms of the batch folder that know neither each other nor the dispatcher: they take options and records. */
const BATCH_STEP = [...BELOW_BATCH, 'src/batch/options/', 'src/batch/records/']

/** The part with the longest matching key applies. */
export const PARTS: Readonly<Record<string, Part>> = {
  'src/base/': { may: [] },
  'src/records/': { may: ['src/base/'] },
  'src/protocol/': { may: ['src/base/'] },
  'src/board/': { may: ['src/base/', 'src/protocol/'] },
  'src/selection/': { may: ['src/base/'] },
  'src/load/': { may: ['src/base/'] },
  'src/engine/': { may: ['src/base/', 'src/protocol/', 'src/board/'] },
  ...Object.fromEntries(ROOMS.map((room, at) => [room, { may: [...MECHANISM, ...ROOMS.slice(0, at)] }])),
  'src/dispatcher/': { may: MECHANISM },
  'src/batch/': { may: BELOW_BATCH, maySurfaceOf: 'src/dispatcher/' },
  'src/batch/options/': { may: BELOW_BATCH },
  'src/batch/records/': { may: BATCH_STEP },
  'src/batch/input/': { may: BATCH_STEP },
  'src/batch/flow/': { may: BATCH_STEP },
  'src/batch/output/': { may: BATCH_STEP },
  'src/batch/journal/': { may: [...BATCH_STEP, 'src/batch/input/', 'src/batch/output/'] },
  'src/metrics/': { may: ['src/base/'], mayTypes: TOLD },
  'src/dashboard/': { may: ['src/base/', 'src/metrics/'], mayTypes: TOLD },
  'src/cli/': {
    may: [...PUBLIC, 'src/base/', 'src/records/', 'src/batch/', 'src/metrics/', 'src/dashboard/'],
    mayDynamic: ['bench/main.ts'],
  },
  'src/index.ts': { may: ['src/'] },
  'src/task.ts': { may: ['src/base/', 'src/protocol/'] },
  'workers/': {
    may: [
      'src/base/',
      'src/records/',
      'src/protocol/',
      'src/board/layout.ts',
      'src/board/claims.ts',
      'src/board/results.ts',
      'src/board/row-writer.ts',
    ],
  },
  'bench/': { may: [...PUBLIC, 'src/base/'] },
  'bench/sim/': {
    may: [
      ...PUBLIC,
      'src/base/',
      'src/selection/',
      'src/load/',
      // What it measures: rules of the dispatcher that need no thread.
      'src/dispatcher/routing/window.ts',
      'src/dispatcher/tasks/task-stats.ts',
      'src/dispatcher/crew/failure-record.ts',
      'bench/',
    ],
  },
  'bench/micro/': { may: ['src/', 'workers/', 'bench/'] },
  'test/integration/': { may: [...PUBLIC, 'test/support/', 'test/fixtures/'] },
}

function covers(allowed: readonly string[] | undefined, target: string): boolean {
  return allowed?.some((entry) => (entry.endsWith('/') ? target.startsWith(entry) : target === entry)) ?? false
}

function partOf(path: string): string | undefined {
  const keys = Object.keys(PARTS).filter((key) => covers([key], path))
  return keys.sort((a, b) => b.length - a.length)[0]
}

function isAllowed(key: string, { target, typeOnly, dynamic }: Import, surface: readonly string[]): boolean {
  const part = PARTS[key]!
  if (target === undefined || covers([key], target) || covers(part.may, target)) return true
  if (typeOnly && covers(part.mayTypes, target)) return true
  if (dynamic && covers(part.mayDynamic, target)) return true
  return part.maySurfaceOf !== undefined && target.startsWith(part.maySurfaceOf) && surface.includes(target)
}

/** One line for each import that the table does not allow, and for each file that no part holds. */
export function forbiddenImports(graph: ImportGraph): string[] {
  const surface = (graph.get('src/index.ts') ?? []).flatMap(({ target }) => target ?? [])
  return [...graph].flatMap(([path, imports]) => {
    const key = partOf(path)
    if (key === undefined) return [`${path} belongs to no part of the import table`]
    return imports
      .filter((found) => !isAllowed(key, found, surface))
      .map((found) => `${found.place} imports ${found.target}: ${key} may not`)
  })
}
