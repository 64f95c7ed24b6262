/** Examples of the documents: found in Markdown, and run as a reader would who has installed the package. */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import manifest from '../../package.json' with { type: 'json' }
import { projectRoot } from '../support/source/tree.js'

const run = promisify(execFile)
const FENCE = /^ {0,3}```/
const SCRIPT = 'commands.sh'

export interface ExampleFile {
  file: string
  code: string
}

/** The examples under one heading. */
export interface Program {
  section: string
  /** Written under their names; the last one is started. */
  files: ExampleFile[]
  /** What it must print; undefined: anything. */
  prints: string | undefined
  /** Takes longer than a check of every change may. */
  isSlow: boolean
}

/** Blocks that show code to be read as such; any other block must say what becomes of it. */
const NOT_RUN = /^```(?:text|jsonl|csv|html)?$/

/**
 * Programs to be run. A block opened with three backquotes and `LANGUAGE tested FILE` is a file; `sh tested` and
 * `sh tested slowly` are commands, started after the files of their section are there; `text printed` is what the
 * program prints.
 */
export function testedPrograms(markdown: string): Program[] {
  const programs: Program[] = []
  const lines = markdown.split('\n')
  let section = ''
  for (let i = 0; i < lines.length; i++) {
    const heading = /^#{1,6}\s+(.*)$/.exec(lines[i]!)?.[1]
    if (heading) section = heading
    if (!FENCE.test(lines[i]!)) continue
    const end = lines.findIndex((line, at) => at > i && FENCE.test(line))
    const code = lines.slice(i + 1, end === -1 ? undefined : end).join('\n')
    add(programs, section, lines[i]!, code)
    i = end === -1 ? lines.length : end
  }
  return programs
}

function add(programs: Program[], section: string, fence: string, code: string): void {
  const file = /^```\w+ tested (\S+\.\w+)$/.exec(fence)?.[1]
  const commands = /^```sh tested( slowly)?$/.exec(fence)
  const isOutput = fence === '```text printed'
  if (file === undefined && commands === null && !isOutput) return
  let program = programs.at(-1)
  if (program?.section !== section) {
    program = { section, files: [], prints: undefined, isSlow: false }
    programs.push(program)
  }
  if (isOutput) program.prints = program.prints === undefined ? code : `${program.prints}\n${code}`
  else if (file !== undefined) program.files.push({ file, code })
  else {
    program.isSlow ||= commands?.[1] !== undefined
    const script = program.files.find((other) => other.file === SCRIPT)
    if (script === undefined) program.files.push({ file: SCRIPT, code })
    else script.code += `\n${code}`
  }
}

/** Programs in which a file stands twice: a second program needs a heading of its own. */
export function crowdedSections(programs: readonly Program[]): string[] {
  const crowded = programs.filter(({ files }) => new Set(files.map(({ file }) => file)).size < files.length)
  return crowded.map(({ section }) => section)
}

/** Opening lines of blocks of code that nothing runs. */
export function untestedBlocks(markdown: string): string[] {
  const fences = markdown.split('\n').filter((line) => FENCE.test(line))
  const openings = fences.filter((_, at) => at % 2 === 0)
  return openings.filter(
    (fence) => !NOT_RUN.test(fence) && !/^```(?:\w+ tested \S+\.\w+|sh tested(?: slowly)?|text printed)$/.test(fence),
  )
}

/** A folder where the package is installed, with these files. */
function exampleFolder(files: readonly ExampleFile[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-example-'))
  const commands = join(folder, 'node_modules', '.bin')
  mkdirSync(commands, { recursive: true })
  symlinkSync(projectRoot, join(folder, 'node_modules', 'evenkeel'), 'junction')
  symlinkSync(join(projectRoot, manifest.bin.evenkeel), join(commands, 'evenkeel'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const { file, code } of files) writeFileSync(join(folder, file), `${code}\n`)
  return folder
}

/** Runs a program in a folder where the package is installed; answers what it prints. Rejects when it fails. */
export async function runProgram({ files, isSlow }: Program): Promise<string> {
  const folder = exampleFolder(files)
  try {
    const last = files.at(-1)!.file
    const [program, args] = last === SCRIPT ? ['bash', ['-e', last]] : [process.execPath, [last]]
    const commands = join(folder, 'node_modules', '.bin')
    const env = { ...process.env, PATH: `${commands}${delimiter}${process.env.PATH}`, npm_config_offline: 'true' }
    const { stdout } = await run(program!, args as string[], { cwd: folder, env, timeout: isSlow ? 240_000 : 60_000 })
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the compiler says of TypeScript files where the package is installed, under the settings that the README names. */
export function typeFaults(files: readonly ExampleFile[]): string[] {
  const folder = exampleFolder(files)
  try {
    const program = ts.createProgram(
      files.map(({ file }) => join(folder, file)),
      {
        strict: true,
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2022,
        noEmit: true,
        skipLibCheck: true,
        typeRoots: [join(projectRoot, 'node_modules/@types')],
        types: ['node'],
      },
    )
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Code of the blocks of a language that nothing runs. */
export function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, 'gm'))].map(([, code]) => code!)
}
