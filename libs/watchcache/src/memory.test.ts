import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { FrameCache, type FrameEncoder } from './fan-out/frames.js';
import type { ChangeEvent } from './history/change-event.js';
import { Ring } from './history/ring.js';
import { CacheEntry } from './state/cache-entry.js';
import { State } from './state/state.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const OBJECTS = 500;
const BODY = 1_000;
const describeRow = () => ({ labels: {}, fields: {} });

/** Makes a Buffer as everything does that is short: out of the memory that all share, with others beside it. */
function shared(bytes: number): Buffer {
  Buffer.from('a request that is soon forgotten'.repeat(60));
  return Buffer.from('x'.repeat(bytes));
}

const encoder: FrameEncoder = {
  key: 'test',
  event: () => shared(BODY + 100),
  bookmark: () => shared(100),
  error: () => shared(100),
};

/** State, ring and frames of a type whose objects are changed over and over. */
class Churn {
  readonly #state = new State(0n, [], 4);
  readonly #ring: Ring;
  readonly #frames: FrameCache;
  #version = 0n;

  constructor(ringBytes: number, frameBytes: number) {
    this.#ring = new Ring(0n, Number.POSITIVE_INFINITY, ringBytes);
    this.#frames = new FrameCache(frameBytes);
  }

  change(times: number): void {
    for (let time = 0; time < times; time++) {
      this.#version += 1n;
      const name = String(this.#version % BigInt(OBJECTS));
      const uid = `00000000-0000-4000-8000-${name.padStart(12, '0')}`;
      const entry = new CacheEntry('default', name, uid, this.#version, shared(BODY), describeRow);
      const prior = this.#state.set(entry);
      const event: ChangeEvent = { version: this.#version, op: 'update', entry, prior, at: 0, frames: undefined };
      this.#ring.push(event);
      this.#frames.frame(event, 'MODIFIED', encoder);
    }
  }

  get accounted(): number {
    return this.#state.bytes + this.#ring.bytes + this.#frames.bytes;
  }
}

/** What is left of the memory of this thread when all garbage is gone; what lies beside the heap goes a turn later. */
async function retained(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('the memory of a type', () => {
  // What the compiler keeps beside the heap comes and goes on a busy machine; what grows does so every time.
  it.each([
    [8 << 20, 4 << 20],
    [4 << 20, 8 << 20],
  ])(
    'is what it accounts for, and flat once ring (%i) and frames (%i) are full',
    { retry: 2 },
    async (ringBytes, frameBytes) => {
      const before = await retained();
      const churn = new Churn(ringBytes, frameBytes);
      const sizes: number[] = [];
      for (let round = 0; round < 5; round++) {
        churn.change(9_000);
        sizes.push((await retained()) - before);
      }
      expect(churn.accounted).toBeGreaterThan(12 << 20);
      for (const size of sizes) expect(size / churn.accounted).toBeLessThan(1.05);
      expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.05);
    },
  );
});
