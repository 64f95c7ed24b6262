/** The files of the page. All are local: the page loads nothing from other servers. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

export interface PageFile {
  readonly contentType: string
  readonly body: Buffer
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Our own files, in the folder `page` beside this file. */
const OWN = [
  'index.html',
  'page.css',
  'icon.svg',
  'main.js',
  'charts.js',
  'event-list.js',
  'figures.js',
  'format.js',
  'range-table.js',
  'sparkline.js',
  'worker-rows.js',
]

/** uPlot's files, by the path they are served under. */
const CHART_FILES = { '/uplot.js': 'uplot/dist/uPlot.iife.min.js', '/uplot.css': 'uplot/dist/uPlot.min.css' }

/** Reads all files, by the path they are served under; `/` is the page. About 80 KB. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { resolve } = createRequire(import.meta.url)
  const places: [path: string, place: string | URL][] = [
    ...OWN.map((name): [string, URL] => [`/${name}`, new URL(`./page/${name}`, import.meta.url)]),
    ...Object.entries(CHART_FILES).map(([path, name]): [string, string] => [path, resolve(name)]),
  ]
  const files = new Map<string, PageFile>()
  await Promise.all(
    places.map(async ([path, place]) => {
      const contentType = CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)]!
      files.set(path === '/index.html' ? '/' : path, { contentType, body: await readFile(place) })
    }),
  )
  return files
}
