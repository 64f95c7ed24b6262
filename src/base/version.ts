/** The version of evenkeel, which files that were copied apart from it compare. */

/** The version in package.json, which code inside an app's bundle cannot read. */
export const VERSION = '0.1.0'
