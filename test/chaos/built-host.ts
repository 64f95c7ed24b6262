/** Makes one file of `chaos-host.ts` that Node can run: with what was built in place of the sources. */

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = new URL('./', import.meta.url)
const dist = fileURLToPath(new URL('../../dist/src/', here))

export async function buildHost(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('chaos-host.ts', here))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Files are looked for beside the tests.
    define: { 'import.meta.url': JSON.stringify(new URL('chaos-host.ts', here).href) },
    plugins: [
      {
        name: 'built sources',
        setup(builder) {
          builder.onResolve({ filter: /^\.\.\/\.\.\/src\// }, ({ path }) => ({
            path: path.replace('../../src/', dist),
            external: true,
          }))
        },
      },
    ],
  })
}
