/**
 * Which requests are answered at all. The page is for this machine: a site that a browser visits may send it here under
 * a name of its own (DNS rebinding), but then the `Host` header bears that name.
 */

import { isIPv6 } from 'node:net'

/** Sent with every answer: nothing comes from elsewhere, and nobody may frame, sniff or keep it. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Whether the name or address means this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** Every `Host` header that names this server. */
export function hostNames(host: string, port: number): ReadonlySet<string> {
  const names = [host, 'localhost', '127.0.0.1', '::1'].map((name) => (isIPv6(name) ? `[${name}]` : name))
  // A browser leaves the port of plain HTTP out.
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}

/** Why the request is refused, as an HTTP status; undefined when it is not. */
export function refusalOf(
  method: string | undefined,
  host: string | undefined,
  allowed: ReadonlySet<string>,
): 403 | 405 | undefined {
  if (host === undefined || !allowed.has(host.toLowerCase())) return 403
  return method === 'GET' ? undefined : 405
}
