import { StatusError } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import type { Rewriting } from '@orch/writing';
import { expect, it } from 'vitest';
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

/** A migrator of definitions, and what it has done. */
function stage(...definitions: Definition[]) {
  const clock = new ManualClock(0);
  const known = new Map(definitions.map((one) => [one.name, one]));
  const told: string[] = [];
  const errors: unknown[] = [];
  let rewrite = async (_onDone: (rewriting: Rewriting) => void, _stopped: () => boolean): Promise<void> => undefined;
  const leads = { now: true };
  const run = {
    get goesOn() {
      return leads.now;
    },
  };
  const migrator = new StorageMigrator<string>({
    ...{ clock, settlingMs: SETTLING_MS, onError: (error) => void errors.push(error) },
    definitionOf: (name) => known.get(name),
    kindOf: async ({ name }) => ({ endpoints: [], storage: name }) as CustomKind<string>,
    rewrite: async ({ storage }, stopped, onDone) => {
      told.push(`rewrite ${storage}`);
      await rewrite(onDone, stopped);
    },
    writer: {
      report: async ({ name }, { reason, message }) => void told.push(`${name} ${reason}: ${message}`),
      migrated: async ({ name, version }, { message }) => void told.push(`${name} of ${version} is done: ${message}`),
    },
  });
  const begin = async (served = 100n): Promise<void> => {
    migrator.begin(migrator.pending(known.values()), served, run);
    await migrator.idle();
  };
  const rewrites = (work: typeof rewrite) => {
    rewrite = work;
  };
  return { clock, known, told, errors, migrator, begin, rewrites, leads };
}

it('looks at definitions of which other versions are stored, too', () => {
  const { migrator } = stage();
  const pendingOf = (more: Partial<Definition>) => migrator.pending([definition('a', 1n, more)]).length;
  expect(pendingOf({})).toBe(1);
  expect(pendingOf({ storedVersions: ['v2'] })).toBe(0);
  expect(pendingOf({ storedVersions: ['v1'] })).toBe(1);
  expect(pendingOf({ isTerminating: true })).toBe(0);
  expect(pendingOf({ isEstablished: false })).toBe(0);
});

it('begins when all servers have the definition, and none writes by the one before any more', async () => {
  const { clock, told, begin } = stage(definition('a', 7n));
  await begin(6n);
  await clock.advance(SETTLING_MS);
  await begin(7n);
  await clock.advance(SETTLING_MS - 1);
  await begin(7n);
  expect(told).toEqual([]);
  await clock.advance(1);
  await begin(7n);
  expect(told).toEqual([
    'a InProgress: objects are being written in the storage version: 0 so far',
    'rewrite a',
    'a of 7 is done: all objects are in the storage version; 0 had to be written',
  ]);
});

it('waits anew for a definition that has changed before its turn', async () => {
  const { clock, known, told, begin } = stage(definition('a', 7n));
  await begin();
  known.set('a', definition('a', 8n));
  await clock.advance(SETTLING_MS);
  await begin();
  expect(told).toEqual([]);
  await clock.advance(SETTLING_MS);
  await begin();
  expect(told).toContain('rewrite a');
});

it('finishes nothing of a definition that has changed meanwhile, nor where another process leads', async () => {
  for (const change of ['definition', 'leader', 'leader for a moment'] as const) {
    const { clock, known, told, begin, rewrites, leads } = stage(definition('a', 7n));
    rewrites(async (_onDone, stopped) => {
      leads.now = change === 'definition';
      // Objects are passed over where this is true.
      stopped();
      if (change === 'leader for a moment') leads.now = true;
      if (change === 'definition') known.set('a', definition('a', 8n));
    });
    await begin();
    await clock.advance(SETTLING_MS);
    await begin();
    expect(told.at(-1), change).toBe('rewrite a');
  }
});

it('takes the version of the last write, where only the status was written meanwhile', async () => {
  const { clock, known, told, begin, rewrites } = stage(definition('a', 7n));
  rewrites(async () => void known.set('a', definition('a', 7n, { version: 9n })));
  await begin();
  await clock.advance(SETTLING_MS);
  await begin();
  expect(told.at(-1)).toContain('a of 9 is done');
});

it('tells how far it has come, and why it could not finish, and tries again', async () => {
  const { clock, told, begin, rewrites } = stage(definition('a', 7n));
  rewrites(async (onDone) => {
    for (let i = 0; i < 3; i++) onDone({});
    await clock.advance(10_000);
    onDone({ error: new StatusError('InternalError', 'no answer') });
    onDone({ error: new StatusError('InternalError', 'no answer again') });
  });
  await begin();
  await clock.advance(SETTLING_MS);
  await begin();
  expect(told.slice(2)).toEqual([
    'a InProgress: objects are being written in the storage version: 3 so far',
    'a Failed: 2 objects could not be written: no answer',
  ]);
  rewrites(async () => undefined);
  await begin();
  expect(told).toHaveLength(4);
  await clock.advance(60_000);
  await begin();
  expect(told.at(-1)).toContain('is done');
});

it('works on one definition at a time, and goes on with the others after one that fails', async () => {
  const { clock, told, errors, begin, rewrites } = stage(definition('a', 7n), definition('b', 7n));
  let first = true;
  rewrites(async () => {
    if (!first) return;
    first = false;
    throw new Error('the database is away');
  });
  await begin();
  await clock.advance(SETTLING_MS);
  await begin();
  expect(errors).toEqual([new Error('the database is away')]);
  await begin();
  expect(told.filter((line) => line.startsWith('rewrite'))).toEqual(['rewrite a', 'rewrite b']);
});
