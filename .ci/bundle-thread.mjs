// Makes one file of what a thread loads at its start. As ECMAScript modules these are some twenty files, and loading
// them costs 17 ms of processor time a thread; as one CommonJS file, 3 ms (an empty thread takes 20, Node 20, 2 cores).
// And makes one file of that and piscina, for apps that have evenkeel inside their bundle.

import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'dist', 'workers')
const piscina = realpathSync(join(root, 'node_modules', 'piscina'))

/** The compiler's source maps, so that those of the bundle lead to the sources. */
const compiled = {
  name: 'compiled',
  load: (id) =>
    id.startsWith(join(root, 'dist'))
      ? { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) }
      : undefined,
}

/** Its `exports` name one file, and that one takes the default export. */
const FILES = new Map([
  ['piscina', join(piscina, 'dist', 'index.js')],
  ['piscina/dist/worker.js', join(piscina, 'dist', 'worker.js')],
])

/**
 * Piscina's threads are to start with the bundle itself, whatever its name, instead of a file beside it. Its default
 * export goes because nothing here uses it, and publint takes it for one of the bundle.
 */
const REPLACED = [
  ["(0, node_path_1.resolve)(__dirname, 'worker.js')", '__filename'],
  ['exports.default = Piscina;', ''],
]

const piscinaOfOneFile = {
  name: 'piscina-of-one-file',
  enforce: 'pre',
  resolveId: (id) => FILES.get(id),
  transform(code, id) {
    if (id !== join(piscina, 'dist', 'index.js')) return undefined
    let text = code
    for (const [from, to] of REPLACED) {
      const parts = text.split(from)
      if (parts.length !== 2) this.error(`piscina no longer has ${from} once`)
      text = parts.join(to)
    }
    return { code: text, map: null }
  },
}

async function bundle(file, { plugins = [], rolldownOptions = {}, output = {} }) {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [compiled, ...plugins],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        ...rolldownOptions,
        input: join(folder, file),
        output: {
          format: 'cjs',
          entryFileNames: file,
          codeSplitting: false,
          // Small, it compiles in 0.7 ms instead of 2. Names of functions and classes stay, for stack traces.
          minify: {
            compress: { target: 'es2023', keepNames: { function: true, class: true } },
            mangle: { keepNames: true },
          },
          ...output,
        },
      },
    },
  })
}

// First, because it takes in the compiled entry, which the second one replaces.
await bundle('thread.cjs', {
  plugins: [piscinaOfOneFile],
  // An optional package of the user's, native.
  rolldownOptions: { external: ['@napi-rs/nice'] },
  output: {
    postBanner: `/*! Contains piscina, https://github.com/piscinajs/piscina\n\n${readFileSync(join(piscina, 'LICENSE'), 'utf8').trim()}\n*/`,
  },
})
await bundle('entry.cjs', {})
