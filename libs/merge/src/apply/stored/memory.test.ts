import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { writeFieldsV1 } from '../paths/fields-v1.js';
import { heldByLevels, KnownLevels } from '../paths/known-levels.js';
import { fieldElement } from '../paths/path-element.js';
import { atOnce } from '../steps.js';
import { heldByKept, keptOf } from './kept-fields.js';
import { packFields } from './pack-fields.js';
import { LatelyUnpacked } from './unpacked-fields.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MIB = 1 << 20;
const parse = (json: Buffer) => JSON.parse(json.toString()) as JsonObject;

/** Bytes of the heap and of buffers outside of it that are there when nothing else is. */
function retained(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Bytes that work leaves behind. */
function leftBy(work: () => void): number {
  const before = retained();
  work();
  return retained() - before;
}

describe('texts of fields that are kept', () => {
  it.each([
    ['very many small ones', 60_000, (at: number) => `{"f:a${at}":{}}`],
    ['wide ones', 300, (at: number) => `{${Array.from({ length: 2_000 }, (_, i) => `"f:${at}.${i}":{}`).join()}}`],
    [
      'ordinary ones',
      20_000,
      (at: number) => `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:n${at}":{}}}`,
    ],
  ])('hold no more than they count, with all that is made of them: %s', (_what, count, textOf) => {
    const left = leftBy(() => {
      for (let at = 0; at < count; at++) {
        // Others use the memory that short buffers share as well.
        Buffer.from('x'.repeat(2_000));
        const kept = keptOf(Buffer.from(textOf(at)));
        kept.value(parse);
        atOnce(kept.packAhead());
      }
    });
    expect(heldByKept()).toBeLessThanOrEqual(32 * MIB);
    expect(left).toBeLessThan(40 * MIB);
  });
});

describe('fields that were unpacked', () => {
  it.each([
    ['very many small ones', 60_000, (at: number) => `{"f:a${at}":{}}`],
    ['wide ones', 400, (at: number) => `{${Array.from({ length: 2_000 }, (_, i) => `"f:${at}.${i}":{}`).join()}}`],
  ])('hold no more than they count: %s', (_what, count, textOf) => {
    const lately = new LatelyUnpacked();
    const left = leftBy(() => {
      for (let at = 0; at < count; at++) {
        const text = textOf(at);
        let pieces = '';
        for (const each of text) pieces += each;
        lately.keep(`writer ${at}`, packFields(text), pieces);
      }
    });
    expect(lately.held).toBeLessThanOrEqual(8 * MIB);
    expect(left).toBeLessThan(12 * MIB);
  });
});

describe('levels of sets that are kept', () => {
  /** Levels of one field each, at so many places. */
  const fill = (places: readonly KnownLevels[], each: number) => {
    for (const [at, place] of places.entries()) {
      for (let i = 0; i < each; i++) {
        const level = place.of([{ element: fieldElement(`${at} ${i}`), member: true, below: undefined }]);
        void level?.text;
        if (level) writeFieldsV1(level);
      }
    }
  };
  const placesOf = (count: number) => Array.from({ length: count }, () => new KnownLevels());

  it('hold no more than they count', () => {
    const places = placesOf(20_000);
    const left = leftBy(() => fill(places, 8));
    expect(heldByLevels()).toBeLessThanOrEqual(32 * MIB);
    expect(left).toBeLessThan(64 * MIB);
    expect(places.length).toBe(20_000);
  });

  it('count what has been replaced no longer', () => {
    const [place] = placesOf(1);
    const before = heldByLevels();
    fill(place ? [place] : [], 1_000);
    expect(heldByLevels() - before).toBeLessThan(16 * 1_024);
  });

  it('end with the type that they are of', () => {
    const weak = (() => {
      const place = new KnownLevels();
      fill([place], 1);
      return new WeakRef(place);
    })();
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      collect();
      expect(weak.deref()).toBeUndefined();
    });
  });
});
