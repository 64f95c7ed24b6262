/** Markdown read for what can be checked: headings, links, examples, and the functions it names. */

import { posix } from 'node:path'
import ts from 'typescript'
import { parse, walk } from '../support/source/syntax.js'
import type { SourceTree } from '../support/source/tree.js'

const FENCE = /^ {0,3}```/

/** Lines with fenced blocks blanked, so that code in them is not read as prose. */
function prose(markdown: string): string[] {
  let inside = false
  return markdown.split('\n').map((line) => {
    if (!FENCE.test(line)) return inside ? '' : line
    inside = !inside
    return ''
  })
}

/** The anchor that the hosting site makes of a heading. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** Anchors of all headings; a repeated one gets a number. */
export function anchorsOf(markdown: string): Set<string> {
  const seen = new Map<string, number>()
  const anchors = prose(markdown).flatMap((line) => {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1]
    if (heading === undefined) return []
    const anchor = anchorOf(heading)
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return [count === 0 ? anchor : `${anchor}-${count}`]
  })
  return new Set(anchors)
}

/** What stands under a heading of the given text, down to the next heading of the same or a higher level. */
export function sectionOf(markdown: string, title: string): string | undefined {
  const lines = markdown.split('\n')
  const visible = prose(markdown)
  const level = (line: string | undefined) => /^(#{1,6})\s/.exec(line ?? '')?.[1]?.length
  const start = visible.findIndex((line) => level(line) !== undefined && line.replace(/^#+\s+/, '').trim() === title)
  if (start === -1) return undefined
  const depth = level(visible[start])!
  const length = visible.slice(start + 1).findIndex((line) => (level(line) ?? Number.POSITIVE_INFINITY) <= depth)
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n')
}

/** Faults of one link: `target` as written in the file `from`. Addresses of other sites are not looked at. */
function linkFaults(from: string, target: string, tree: SourceTree, paths: ReadonlySet<string>): string[] {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return []
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? from : posix.join(posix.dirname(from), decodeURI(file)).replace(/\/$/, '')
  const exists = paths.has(path) || [...paths].some((known) => known.startsWith(`${path}/`))
  if (!exists) return [`${from}: ${target} leads nowhere`]
  const text = tree.get(path)
  if (anchor && text !== undefined && !anchorsOf(text).has(anchor)) return [`${from}: ${target} names no heading`]
  return []
}

/** Links of all Markdown files of the tree that lead nowhere. `paths` are all files of the project. */
export function brokenLinks(tree: SourceTree, paths: ReadonlySet<string>): string[] {
  return [...tree]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, text]) => {
      const visible = prose(text)
        .join('\n')
        .replace(/`[^`\n]*`/g, '')
      const links = [...visible.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)]
      return links.flatMap(([, target]) => linkFaults(path, target!, tree, paths))
    })
}

/** Headings that comments of the sources point to and that do not exist: `README.md#heading`, from the file or the root. */
export function brokenHeadingLinks(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path]) => /\.[cm]?ts$/.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(/([\w./-]*\w\.md)#([\w-]+)/g)]
        .filter(([, file, anchor]) => {
          const beside = tree.get(posix.join(posix.dirname(path), file!))
          const target = beside ?? tree.get(posix.normalize(file!))
          return target === undefined || !anchorsOf(target).has(anchor!)
        })
        .map(([link]) => `${path}: ${link} names no heading`),
    )
}

/** Names a file declares: functions, classes, constants, methods, and members of object types. */
function declaredNames(path: string, text: string): Set<string> {
  const names = new Set<string>()
  for (const node of walk(parse(path, text))) {
    const named = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isClassElement(node)
    const other = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isMethodSignature(node)
    if (ts.isConstructorDeclaration(node)) names.add('constructor')
    if ((named || other) && node.name) names.add(node.name.getText().replace(/^#/, ''))
  }
  return names
}

export interface NamedStep {
  file: string
  name: string
}

/** Every `file#function` in backquotes, such as `src/base/clock.ts#nowMs`. */
export function stepsOf(section: string): NamedStep[] {
  const steps = [...section.matchAll(/`([\w./-]+\.[cm]?ts)#([\w$.]+)(?:\(\))?`/g)]
  return steps.map(([, file, name]) => ({ file: file!, name: name! }))
}

/** Steps whose file or function does not exist. `Class.method` is looked up by its last part. */
export function missingSteps(steps: readonly NamedStep[], tree: SourceTree): string[] {
  return steps
    .filter(({ file, name }) => {
      const text = tree.get(file)
      return text === undefined || !declaredNames(file, text).has(name.slice(name.lastIndexOf('.') + 1))
    })
    .map(({ file, name }) => `${file}#${name} does not exist`)
}

/** What stands in backquotes at the start of each table row. */
export function tableKeys(markdown: string): string[] {
  return [...markdown.matchAll(/^\|\s*`([^`]+)`/gm)].map(([, key]) => key!)
}

/** The folders in the first column of the table with the head `in FOLDER`. */
export function roomsOf(markdown: string, folder: string): string[] {
  const [, behind = ''] = markdown.split(`| in \`${folder}\` |`)
  const rows = behind.slice(0, behind.search(/\n(?!\|)/)).matchAll(/^\|([^|]+)\|/gm)
  return [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
}

/** Names of the members of an interface, in the order of the source. */
export function membersOf(text: string, interfaceName: string): string[] {
  for (const node of walk(parse('source.ts', text))) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== interfaceName) continue
    return node.members.flatMap((member) => (member.name === undefined ? [] : [member.name.getText()]))
  }
  return []
}

/** Members of a union of string literals. */
export function literalsOf(text: string, typeName: string): string[] {
  for (const node of walk(parse('source.ts', text))) {
    if (!ts.isTypeAliasDeclaration(node) || node.name.text !== typeName) continue
    return [...walk(node.type)].filter(ts.isStringLiteral).map((literal) => literal.text)
  }
  return []
}

/** Texts of the headings of a level. */
export function headingsOf(markdown: string, level: number): string[] {
  const mark = `${'#'.repeat(level)} `
  return prose(markdown)
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length).trim())
}

/** Names that stand nowhere on the page as code, alone or at the start of it. */
export function unnamed(names: readonly string[], page: string): string[] {
  const code = new Set([...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => /^-{0,2}[\w-]+/.exec(text!)?.[0]))
  return names.filter((name) => !code.has(name))
}
