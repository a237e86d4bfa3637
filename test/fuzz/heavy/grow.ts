import fc from 'fast-check';
import type { HeavyRequest } from './heavy-request.js';

/** Bytes of a body, with one part of it doubled again and again while there is room: what is worst of its kind is long. */
function grown(body: Buffer, from: number, length: number, room: number): Buffer {
  const start = from % Math.max(1, body.length);
  const part = body.subarray(start, start + Math.max(1, length));
  const times = Math.floor(Math.max(0, room - body.length) / part.length);
  return Buffer.concat([body.subarray(0, start), Buffer.alloc(times * part.length, part), body.subarray(start)]);
}

interface Change {
  readonly from: number;
  readonly length: number;
  readonly cut: number;
  readonly swap: Buffer;
  readonly how: 'grow' | 'cut and grow' | 'replace' | 'repeat';
}

const changes: fc.Arbitrary<Change> = fc.record({
  from: fc.nat(),
  length: fc.integer({ min: 1, max: 64 }),
  cut: fc.nat({ max: 8 << 10 }),
  swap: fc
    .constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '&a',
      '*a',
      '- ',
      '\n',
      '{}',
      'null',
      '1e9',
      '__proto__',
      '\u0000',
    )
    .map((text) => Buffer.from(text)),
  how: fc.constantFrom('grow', 'cut and grow', 'replace', 'repeat'),
});

function changed(body: Buffer, { from, length, cut, swap, how }: Change, room: number): Buffer {
  const at = from % Math.max(1, body.length);
  switch (how) {
    case 'grow':
      return grown(body.subarray(0, cut + 256), from, length, room);
    case 'cut and grow':
      return grown(Buffer.concat([body.subarray(0, cut + 64), body.subarray(-cut - 64)]), from, length, room);
    case 'replace':
      return Buffer.concat([body.subarray(0, at), swap, body.subarray(at + length)]).subarray(0, room);
    case 'repeat':
      return Buffer.concat([body.subarray(0, at), Buffer.alloc(length * 1_000, swap), body.subarray(at)]).subarray(
        0,
        room,
      );
  }
}

/** Requests of a corpus with their bodies changed in one to three places, and grown to all that is allowed. */
export function heavier(corpus: readonly HeavyRequest[], room: number): fc.Arbitrary<HeavyRequest> {
  const withBody = corpus.filter(({ body }) => body !== undefined);
  return fc
    .tuple(fc.constantFrom(...withBody), fc.array(changes, { minLength: 1, maxLength: 3 }))
    .map(([heavy, all]) => ({
      ...heavy,
      name: `${heavy.name}, ${all.map(({ how }) => how).join(', ')}`,
      body: () => all.reduce((body, change) => changed(body, change, room), heavy.body?.() ?? Buffer.alloc(0)),
    }));
}
