import { StatusError } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { LEADERSHIP_MS } from '@orch/runtime/work';
import { type RunningControllers, runControllers } from '@orch/testing';
import type { Rewriting } from '@orch/writing';
import { afterEach, expect, it } from 'vitest';
import type { Definition } from './definition.js';
import type { CustomKind } from './served-definitions.js';
import { StorageMigrator } from './storage-migrator.js';

const SETTLING_MS = 2_000;
const definition = (name: string, since: bigint, more: Partial<Definition> = {}): Definition =>
  ({
    ...{ name, uid: `uid of ${name}`, version: since, since, isEstablished: true, isTerminating: false },
    ...{ storageVersion: 'v2', storedVersions: ['v1', 'v2'], outline: {} },
    ...more,
  }) as Definition;

let running: RunningControllers | undefined;
afterEach(() => running?.stop());

/** A migrator of definitions that runs, and what it has done. */
async function stage(...definitions: Definition[]) {
  const clock = new ManualClock(0);
  const known = new Map(definitions.map((one) => [one.name, one]));
  const told: string[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const refusals = { left: 0 };
  let rewrite = async (_onDone: (rewriting: Rewriting) => void, _stopped: () => boolean): Promise<void> => undefined;
  const lease = { isFree: true };
  const migrator = new StorageMigrator<string>({
    ...{ clock, settlingMs: SETTLING_MS, onError },
    definitionOf: (name) => known.get(name),
    kindOf: async ({ name }) => ({ endpoints: [], storage: name }) as CustomKind<string>,
    rewrite: async ({ storage }, stopped, onDone) => {
      told.push(`rewrite ${storage}`);
      await rewrite(onDone, stopped);
    },
    writer: {
      report: async ({ name }, { reason, message }) => void told.push(`${name} ${reason}: ${message}`),
      migrated: async ({ name, version }, { message }) => {
        if (refusals.left > 0) return refusals.left-- < 0;
        told.push(`${name} of ${version} is done: ${message}`);
        return true;
      },
    },
  });
  running = await runControllers(
    { controllers: [migrator.controller] },
    { clock, onError, isFree: () => lease.isFree },
  );
  await clock.settle();
  /** All servers serve the definitions as of a version. */
  const served = async (version = 100n): Promise<void> => {
    migrator.ready.update(migrator.pending(known.values()), ({ since }) => since <= version);
    await clock.settle();
  };
  const rewrites = (work: typeof rewrite) => {
    rewrite = work;
  };
  return { clock, known, told, errors, migrator, served, rewrites, lease, refusals };
}

it('looks at definitions of which other versions are stored, too', async () => {
  const { migrator } = await stage();
  const pendingOf = (more: Partial<Definition>) => migrator.pending([definition('a', 1n, more)]).length;
  expect(pendingOf({})).toBe(1);
  expect(pendingOf({ storedVersions: ['v2'] })).toBe(0);
  expect(pendingOf({ storedVersions: ['v1'] })).toBe(1);
  expect(pendingOf({ isTerminating: true })).toBe(0);
  expect(pendingOf({ isEstablished: false })).toBe(0);
});

it('begins when all servers have the definition, and none writes by the one before any more', async () => {
  const { clock, told, served } = await stage(definition('a', 7n));
  await served(6n);
  await clock.advance(SETTLING_MS);
  await served(7n);
  await clock.advance(SETTLING_MS - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([
    'a InProgress: objects are being written in the storage version: 0 so far',
    'rewrite a',
    'a of 7 is done: all objects are in the storage version; 0 had to be written',
  ]);
});

it('rewrites again where a write meanwhile, of labels or a status, has kept the completion from being recorded', async () => {
  const { clock, told, served, refusals } = await stage(definition('a', 7n));
  refusals.left = 2;
  await served();
  await clock.advance(SETTLING_MS);
  for (let tries = 0; tries < 3; tries++) await clock.advance(3_000);
  expect(told.at(-1)).toMatch('a of 7 is done');
  expect(told.filter((line) => line === 'rewrite a')).toHaveLength(3);
});

it('waits anew for a definition that has changed before its turn', async () => {
  const { clock, known, told, served } = await stage(definition('a', 7n));
  await served();
  await clock.advance(SETTLING_MS - 1);
  known.set('a', definition('a', 8n));
  await served();
  await clock.advance(1);
  expect(told).toEqual([]);
  await clock.advance(SETTLING_MS);
  expect(told).toContain('rewrite a');
});

it('does nothing to a definition that not all servers have any more as it is', async () => {
  const { clock, known, told, served } = await stage(definition('a', 7n));
  await served();
  known.set('a', definition('a', 8n));
  await clock.advance(10 * SETTLING_MS);
  expect(told).toEqual([]);
});

it('finishes nothing of a definition that has changed meanwhile, nor where another process leads', async () => {
  for (const change of ['definition', 'leader'] as const) {
    const { clock, known, told, served, rewrites, lease } = await stage(definition('a', 7n));
    rewrites(async (_onDone, stopped) => {
      if (change === 'definition') known.set('a', definition('a', 8n));
      else {
        lease.isFree = false;
        await clock.advance(LEADERSHIP_MS);
        lease.isFree = true;
      }
      // Objects are passed over where this is true.
      expect(stopped()).toBe(true);
    });
    await served();
    await clock.advance(SETTLING_MS);
    expect(told.at(-1), change).toBe('rewrite a');
    await running?.stop();
  }
});

it('takes the version of the last write, where only the status was written meanwhile', async () => {
  const { clock, known, told, served, rewrites } = await stage(definition('a', 7n));
  rewrites(async () => void known.set('a', definition('a', 7n, { version: 9n })));
  await served();
  await clock.advance(SETTLING_MS);
  expect(told.at(-1)).toContain('a of 9 is done');
});

it('tells how far it has come, and why it could not finish, and tries again', async () => {
  const { clock, told, errors, served, rewrites } = await stage(definition('a', 7n));
  let step = (): void => undefined;
  rewrites(async (onDone) => {
    for (let i = 0; i < 3; i++) onDone({});
    await new Promise<void>((resolve) => {
      step = resolve;
    });
    onDone({ error: new StatusError('InternalError', 'no answer') });
    onDone({ error: new StatusError('InternalError', 'no answer again') });
  });
  await served();
  await clock.advance(SETTLING_MS);
  await clock.advance(10_000);
  step();
  await clock.settle();
  expect(told.slice(2)).toEqual([
    'a InProgress: objects are being written in the storage version: 3 so far',
    'a Failed: 2 objects could not be written: no answer',
  ]);
  rewrites(async () => undefined);
  await clock.advance(59_999);
  expect(told).toHaveLength(4);
  await clock.advance(1);
  expect(told.at(-1)).toContain('is done');
  expect(errors).toEqual([]);
});

it('works on one definition at a time, and goes on with the others after one that fails', async () => {
  const { clock, told, errors, served, rewrites } = await stage(definition('a', 7n), definition('b', 7n));
  let [first, atOnce, most] = [true, 0, 0];
  rewrites(async () => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    if (!first) return;
    first = false;
    throw new Error('the database is away');
  });
  await served();
  await clock.advance(SETTLING_MS);
  expect([errors, most]).toEqual([[new Error('the database is away')], 1]);
  expect(told.filter((line) => line.startsWith('rewrite'))).toEqual(['rewrite a', 'rewrite b']);
});
