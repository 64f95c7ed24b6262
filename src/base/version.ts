/** Which evenkeel this is, for parts of it that were copied apart from the rest. */

/** The version in package.json, which code inside an app's bundle cannot read. */
export const VERSION = '0.1.0'
