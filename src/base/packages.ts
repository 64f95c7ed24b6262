/** Packages that few pools need. They are loaded when they are needed. */

import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'
import type PQueue from 'p-queue'
import type pidusage from 'pidusage'
import { ownFolderUrl } from './worker-urls.js'

export async function loadPQueue(): Promise<typeof PQueue> {
  return (await import('p-queue').catch(() => importOutside<{ default: typeof PQueue }>('p-queue'))).default
}

export async function loadPidusage(): Promise<typeof pidusage> {
  return (await import('pidusage').catch(() => importOutside<{ default: typeof pidusage }>('pidusage'))).default
}

/** Some sandboxes, such as Jest's for CommonJS, refuse `import`. Node's own loader is outside of them. */
function importOutside<T>(name: string): Promise<T> {
  const filename = fileURLToPath(new URL('packages.js', ownFolderUrl))
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  return new Script('(name) => import(name)', { filename, importModuleDynamically }).runInThisContext()(name)
}
