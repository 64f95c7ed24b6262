import { describe, expect, test } from 'vitest'
import { hostNames, isLoopback, refusalOf, SAFE_HEADERS } from '../../src/dashboard/request-guard.js'

const allowed = hostNames('127.0.0.1', 8_080)

describe('requests', () => {
  test.each(['127.0.0.1:8080', 'localhost:8080', 'LocalHost:8080', '[::1]:8080'])('to %s are answered', (host) =>
    expect(refusalOf('GET', host, allowed)).toBeUndefined(),
  )

  test.each(['evil.example:8080', '127.0.0.1', '127.0.0.1:8081', 'localhost.evil.example:8080', '', undefined])(
    'to %s are refused',
    (host) => expect(refusalOf('GET', host, allowed)).toBe(403),
  )

  test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', undefined])('with method %s are refused', (method) =>
    expect(refusalOf(method, 'localhost:8080', allowed)).toBe(405),
  )

  test('on port 80 may leave the port out', () => {
    expect(refusalOf('GET', 'localhost', hostNames('127.0.0.1', 80))).toBeUndefined()
  })

  test('to another loopback address are answered under it', () => {
    expect(refusalOf('GET', '127.0.0.2:8080', hostNames('127.0.0.2', 8_080))).toBeUndefined()
  })
})

test('loopback addresses are told from all others', () => {
  const hosts = ['127.0.0.1', '127.255.0.1', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.1', '127.evil.example', '']
  expect(hosts.filter(isLoopback)).toEqual(['127.0.0.1', '127.255.0.1', '::1', 'localhost'])
})

test('the policy lets nothing in from elsewhere and no script from the page itself', () => {
  const policy = SAFE_HEADERS['content-security-policy']!
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
})
