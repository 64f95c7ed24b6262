// Makes what is published, in `lib`, of the compiled tree in `dist`: a few CommonJS files without comments, and one
// declaration file for each entry. A small ECMAScript module beside each entry passes its exports on, so that `import`
// and `require` give the same classes.

import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { rolldown } from 'rolldown'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const lib = join(root, 'lib')
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What an app may load: the names in `exports`, and their sources. */
const entries = Object.entries(JSON.parse(readFileSync(join(root, '.ci/entries.json'), 'utf8')))

/** The entries as compiled files with this ending. */
const compiled = (end) => entries.map(([name, source]) => [name, join(dist, source.replace(/\.ts$/, end))])

/** Packages that become part of the files. All others are loaded when they are needed. */
const BUNDLED = ['commander', 'csv-parse']

const external = (id) => {
  const name = id.startsWith('@') ? id.split('/').slice(0, 2).join('/') : id.split('/')[0]
  return id.startsWith('node:') || (!BUNDLED.includes(name) && (name in dependencies || name in devDependencies))
}

/** Places that are others here: the files of threads are beside all others, and uPlot is in the folder of the page. */
const MOVED = new Map([
  [
    'src/base/worker-urls.js',
    [
      /'\.\.\/\.\.\/(?:workers\/(?:tasks\/)?([\w-]+)\.(c?js))?'/g,
      (_, name, end) => `'./${name}.${end === 'js' ? 'mjs' : end}'`,
    ],
  ],
  [
    'src/dashboard/page-files.js',
    [
      /createRequire\(import\.meta\.url\)/g,
      () => "{ resolve: (path) => new URL('./page/' + path.split('/').at(-1), import.meta.url) }",
    ],
  ],
])

const movedFiles = {
  name: 'moved-files',
  transform(code, id) {
    const [pattern, moved] = MOVED.get(relative(dist, id)) ?? []
    if (pattern === undefined) return undefined
    if (!pattern.test(code)) this.error(`${id} no longer has ${pattern}`)
    return { code: code.replaceAll(pattern, moved), map: null }
  },
}

/** `new URL('./other.js', import.meta.url)`: the other file becomes an entry of its own, or is copied as it is. */
const neighbours = {
  name: 'neighbours',
  async transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('import.meta.url')) return undefined
    let text = code
    for (const [whole, name] of code.matchAll(/new URL\('(\.[^']*\.js)', import\.meta\.url\)/g)) {
      const source = join(dirname(id), name)
      // A message may show the same words.
      if (!existsSync(source)) continue
      const fileName = `${relative(dist, source).replaceAll('/', '-')}`
      this.emitFile({ type: 'chunk', id: source, fileName })
      text = text.replace(whole, `new URL('./${fileName}', import.meta.url)`)
    }
    return text === code ? undefined : { code: text, map: null }
  },
}

const OWN_URL = '__ownUrl'

/**
 * In an app's bundle of ECMAScript modules there is no `require`, not even for the modules of Node, and no `__filename`:
 * then the files of evenkeel are looked for beside the program.
 */
const anywhere = {
  name: 'anywhere',
  renderChunk(code) {
    const builtin = 'globalThis.process.getBuiltinModule'
    const file = 'typeof __filename === "string" ? __filename : (globalThis.process.argv[1] ?? "evenkeel")'
    const head = code.includes(OWN_URL)
      ? `const ${OWN_URL} = ${builtin}("node:url").pathToFileURL(${file}).href;\n`
      : ''
    return { code: head + code.replaceAll(/\brequire\((["'`])node:([\w/]+)\1\)/g, `${builtin}("node:$2")`), map: null }
  },
}

/** Half the size. The names of functions and classes stay, for stack traces. */
const OUTPUT = {
  comments: false,
  minify: { compress: { target: 'es2023', keepNames: { function: true, class: true } }, mangle: { keepNames: true } },
}

async function buildCode() {
  const build = await rolldown({
    input: {
      ...Object.fromEntries(compiled('.js')),
      cli: join(dist, 'src/cli/main.js'),
      bench: join(dist, 'bench/main.js'),
    },
    cwd: root,
    platform: 'node',
    external,
    plugins: [movedFiles, neighbours, anywhere],
    transform: { define: { 'import.meta.url': OWN_URL } },
  })
  const { output } = await build.write({
    dir: lib,
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    ...OUTPUT,
  })
  return output
}

/** Task modules of evenkeel's own: threads load them by `import`, and they may wait while they load. */
async function buildTasks() {
  for (const name of ['map-record', 'fingerprint']) {
    const build = await rolldown({
      input: join(dist, 'workers/tasks', `${name}.js`),
      cwd: root,
      platform: 'node',
      external,
    })
    await build.write({ file: join(lib, `${name}.mjs`), format: 'es', codeSplitting: false, ...OUTPUT })
  }
}

async function buildTypes() {
  const input = Object.fromEntries(compiled('.d.ts'))
  const build = await rollup({ input, plugins: [dts()], external })
  await build.write({ dir: lib, format: 'es', entryFileNames: '[name].d.ts', chunkFileNames: '[name].ts' })
}

/** Passes the names of a CommonJS entry on to `import`. The declarations beside it are of both. */
function writeModule({ name, exports }) {
  const names = exports.filter((each) => each !== 'default').join(', ')
  writeFileSync(join(lib, `${name}.mjs`), `import entry from './${name}.js'\n\nexport const { ${names} } = entry\n`)
  writeFileSync(join(lib, `${name}.d.mts`), `export * from './${name}.js'\n`)
}

function copy(from, to) {
  cpSync(join(root, from), join(lib, to), { recursive: true })
}

function licenceOf(name) {
  const folder = join(root, 'node_modules', name)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`
}

rmSync(lib, { recursive: true, force: true })
mkdirSync(lib)
// The project's own files are ECMAScript modules; these are not.
writeFileSync(join(lib, 'package.json'), '{ "type": "commonjs" }\n')
const output = await buildCode()
for (const chunk of output) if (chunk.isEntry && entries.some(([name]) => name === chunk.name)) writeModule(chunk)
await Promise.all([buildTasks(), buildTypes()])
for (const file of ['entry.cjs', 'thread.cjs']) {
  const text = readFileSync(join(dist, 'workers', file), 'utf8')
  writeFileSync(join(lib, file), text.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
}
copy('dist/src/dashboard/page', 'page')
for (const file of readdirSync(join(lib, 'page'))) {
  const loader = file.endsWith('.js') ? 'js' : file.endsWith('.css') ? 'css' : undefined
  const path = join(lib, 'page', file)
  if (loader !== undefined)
    writeFileSync(path, (await transform(readFileSync(path, 'utf8'), { loader, minify: true })).code)
}
for (const file of ['uPlot.iife.min.js', 'uPlot.min.css']) copy(`node_modules/uplot/dist/${file}`, `page/${file}`)
writeFileSync(join(lib, 'LICENCES.txt'), ['commander', 'csv-parse', 'uplot'].map(licenceOf).join('\n---\n\n'))
chmodSync(join(lib, 'cli.js'), 0o755)
