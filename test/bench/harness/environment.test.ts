import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installedVersion, readEnvironment } from '../../../bench/harness/environment.js'
import manifest from '../../../package.json' with { type: 'json' }

const folder = (): string => mkdtempSync(join(tmpdir(), 'environment-'))

describe('environment record', () => {
  test('names the versions of evenkeel and of every contender', () => {
    const { packages, node, processors } = readEnvironment()
    expect(packages.evenkeel).toBe(manifest.version)
    for (const name of ['piscina', 'poolifier', 'tinypool', 'workerpool']) {
      expect(packages[name], name).toMatch(/^\d+\.\d+\.\d+/)
    }
    expect(node).toBe(process.version)
    expect(processors).toBeGreaterThan(0)
  })

  test('a package is looked for upwards, and null is the version of one that is not installed', () => {
    const root = folder()
    mkdirSync(join(root, 'node_modules', 'near'), { recursive: true })
    mkdirSync(join(root, 'deep', 'down'), { recursive: true })
    writeFileSync(join(root, 'node_modules', 'near', 'package.json'), '{ "version": "1.2.3" }')
    expect(installedVersion('near', join(root, 'deep', 'down'))).toBe('1.2.3')
    expect(installedVersion('no-package-of-this-name', join(root, 'deep', 'down'))).toBeNull()
  })
})
