/** The payloads that are measured, by shape; each call makes a value of its own, as callers have. */

export type PayloadShape =
  | { readonly kind: 'flat object' }
  | { readonly kind: 'nested object' }
  | { readonly kind: 'array of small objects'; readonly length: number }
  | { readonly kind: 'text'; readonly length: number }
  | { readonly kind: 'buffer'; readonly length: number }

/** About 1 kB as JSON. */
function nestedObject(id: number): unknown {
  return {
    id,
    customer: { name: `Customer ${id}`, mail: `customer-${id}@example.org`, tags: ['regular', 'newsletter', 'north'] },
    address: { street: 'Long Street 12', city: 'Springfield', zip: '12345', place: { lat: 48.137, lon: 11.575 } },
    lines: Array.from({ length: 8 }, (_, line) => ({
      article: `article ${line} of ${id}`,
      count: line + 1,
      price: { amount: 12.5 * (line + 1), currency: 'EUR' },
    })),
    note: 'To be left with the neighbours when nobody is at home on the day of the delivery.',
    paid: true,
  }
}

export function makePayload(shape: PayloadShape, id: number): unknown {
  switch (shape.kind) {
    case 'flat object':
      return { id, name: `user ${id}`, score: id * 0.5, active: true }
    case 'nested object':
      return nestedObject(id)
    case 'array of small objects':
      return Array.from({ length: shape.length }, (_, at) => ({ id: at, name: `name ${at}`, tags: ['a', 'b'] }))
    case 'text':
      return `${id} `.padEnd(shape.length, 'text ')
    case 'buffer':
      return new Uint8Array(shape.length).fill(1)
  }
}
