import { readFileSync } from 'node:fs'

/** A file of samples that cannot be used; the message names the file and the line. */
export class SampleFileError extends Error {}

/** One JSON value a line; empty lines are passed over. Reads the whole file: samples, not the data set. */
export function readSamples(file: string): unknown[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new SampleFileError(`${file}: ${(error as Error).message}`)
  }
  const samples = text.split('\n').flatMap((line, at): unknown[] => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line)]
    } catch (error) {
      throw new SampleFileError(`${file}, line ${at + 1}: no JSON: ${(error as Error).message}`)
    }
  })
  if (samples.length === 0) throw new SampleFileError(`${file} holds no samples`)
  return samples
}
