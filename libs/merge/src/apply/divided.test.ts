import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { cloneJson } from '../json-values.js';
import type { FieldManager } from './index.js';

/** What two managers of the same things are made of, one of which divides everything and one nothing. */
async function madeWith(piece: number) {
  vi.resetModules();
  vi.doMock('./piece.js', () => ({ PIECE: piece }));
  const { thingManager } = await import('../testing/things.js');
  const { managerOfVector, schemaOf } = await import('../testing/managed-kinds.js');
  const patches = await import('../index.js');
  const pod = { apiVersion: 'v1', kind: 'Pod', zeros: true };
  return { things: thingManager(), pods: managerOfVector(pod), schema: schemaOf(pod), patches };
}

const [divided, whole] = [await madeWith(2), await madeWith(Number.POSITIVE_INFINITY)];
// Tests of other files, which share what is loaded, get steps of the usual size.
vi.doUnmock('./piece.js');
vi.resetModules();
const { oddPods, oddSpecs } = await import('../testing/odd-things.js');
const { thing } = await import('../testing/things.js');

interface Write {
  readonly op: 'update' | 'apply' | 'merge patch' | 'strategic patch' | 'JSON patch';
  readonly manager: string;
  readonly force: boolean;
  readonly object: JsonObject;
}

const writesOf = (objects: fc.Arbitrary<JsonObject>, ops: readonly Write['op'][]): fc.Arbitrary<Write[]> =>
  fc.array(
    fc.record({
      op: fc.constantFrom(...ops),
      manager: fc.constantFrom('one', 'two', 'three', 'kubectl'),
      force: fc.boolean(),
      object: objects,
    }),
    { minLength: 1, maxLength: 6 },
  );

type Made = Awaited<ReturnType<typeof madeWith>>;

/** The object that a patch makes, of which owners are drawn then. */
function patched({ patches, schema }: Made, before: JsonObject, { op, object }: Write): JsonObject {
  const live = cloneJson(before) as JsonObject;
  const { apiVersion: _, kind: __, metadata: ___, ...said } = object;
  if (op === 'merge patch') return patches.applyMergePatch(live, said) as JsonObject;
  if (op === 'strategic patch') return patches.strategicMergePatch(schema, live, said) as JsonObject;
  if (op !== 'JSON patch') return object;
  const operations = Object.entries(said).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
  return patches.applyJsonPatch(live, operations as JsonValue) as JsonObject;
}

/** The object that each write leaves, and what is told of those that are refused. */
async function outcomes(made: Made, manager: FieldManager, writes: readonly Write[]): Promise<string[]> {
  let live: JsonObject | undefined;
  const reported: string[] = [];
  for (const [i, write] of writes.entries()) {
    const object = cloneJson(write.object) as JsonObject;
    const options = { manager: write.manager, now: new Date(Date.UTC(2026, 0, 1, 0, 0, i)), force: write.force };
    try {
      const next = write.op === 'apply' || !live ? object : patched(made, live, { ...write, object });
      live = await (write.op === 'apply'
        ? manager.applyAsync(live, next, options)
        : manager.updateAsync(live, next, options));
      reported.push(JSON.stringify(live));
    } catch (error) {
      const { name, message, status } = error as Error & { status?: unknown };
      reported.push(JSON.stringify([name, message, status]));
    }
  }
  return reported;
}

const runs = { seed: 20261128, numRuns: 150 };

describe('writes that are done in as many steps as there can be end as those in as few (property)', () => {
  test('of custom objects', async () => {
    const ops = ['update', 'apply', 'apply', 'merge patch', 'JSON patch'] as const;
    await fc.assert(
      fc.asyncProperty(writesOf(oddSpecs.map(thing), ops), async (writes) => {
        expect(await outcomes(divided, divided.things, writes)).toEqual(await outcomes(whole, whole.things, writes));
      }),
      runs,
    );
  });

  test('of a built-in kind', async () => {
    const ops = ['update', 'apply', 'apply', 'merge patch', 'strategic patch', 'JSON patch'] as const;
    await fc.assert(
      fc.asyncProperty(writesOf(oddPods, ops), async (writes) => {
        expect(await outcomes(divided, divided.pods, writes)).toEqual(await outcomes(whole, whole.pods, writes));
      }),
      runs,
    );
  });
});
