import { cleanupFinalizer } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { type RunningControllers, runControllers } from '@orch/testing';
import { afterEach, expect, it } from 'vitest';
import type { Definition } from './definition.js';
import { DefinitionCleaner } from './definition-cleaner.js';
import type { CustomKind } from './served-definitions.js';

const names = namesOf('kubernetes');
const definition = (name: string): Definition =>
  ({
    ...{ name, uid: `uid of ${name}`, version: 7n, since: 7n, isEstablished: true, isTerminating: true },
    ...{ group: 'example.com', names: { plural: name, kind: name } },
    outline: { metadata: { finalizers: [cleanupFinalizer(names)] } },
  }) as unknown as Definition;

let running: RunningControllers | undefined;
afterEach(() => running?.stop());

/** A cleaner of definitions that runs, and what it has done. */
async function stage(...definitions: Definition[]) {
  const clock = new ManualClock(0);
  const known = new Map(definitions.map((one) => [one.name, one]));
  const told: string[] = [];
  const errors: string[] = [];
  const looks: number[] = [];
  const contents = { left: 0, failure: undefined as Error | undefined };
  const cleaner = new DefinitionCleaner<string>({
    names,
    definitionOf: (name) => known.get(name),
    kindOf: async ({ name }) => ({ endpoints: [], storage: name }) as CustomKind<string>,
    async empty() {
      looks.push(clock.now());
      if (contents.failure) throw contents.failure;
      return contents.left;
    },
    isBuiltIn: () => false,
    writer: {
      report: async ({ name }, { reason }) => void told.push(`${name} ${reason}`),
      release: async ({ name }) => {
        told.push(`${name} released`);
        known.delete(name);
      },
    },
  });
  const onError = (error: unknown) => void errors.push((error as Error).message);
  running = await runControllers({ controllers: [cleaner.controller] }, { clock, onError });
  await clock.settle();
  const drained = async (...ofNames: string[]) => {
    cleaner.ready.update(cleaner.pending(known.values()), ({ name }) => ofNames.includes(name));
    await clock.settle();
  };
  return { clock, told, errors, looks, contents, drained };
}

it('deletes the objects of a definition when no server creates any more, and lets it go', async () => {
  const { clock, told, drained } = await stage(definition('a'), definition('b'));
  await drained();
  await clock.advance(60_000);
  expect(told).toEqual([]);
  await drained('a');
  expect(told).toEqual(['a InstanceDeletionInProgress', 'a InstanceDeletionCompleted', 'a released']);
  await drained('b');
  expect(told.slice(3)).toEqual(['b InstanceDeletionInProgress', 'b InstanceDeletionCompleted', 'b released']);
});

it('looks once a second whether objects remain', async () => {
  const { clock, told, looks, contents, drained } = await stage(definition('a'));
  contents.left = 1;
  await drained('a');
  await clock.advance(3_000);
  expect(looks).toEqual([0, 1_000, 2_000, 3_000]);
  contents.left = 0;
  await clock.advance(1_000);
  expect(told.at(-1)).toBe('a released');
});

it('tells of a failure, and tries again with backoff', async () => {
  const { clock, told, errors, looks, contents, drained } = await stage(definition('a'));
  contents.failure = new Error('refused by a webhook');
  await drained('a');
  await clock.advance(15_000);
  expect(looks).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  expect(errors).toEqual(looks.map(() => 'refused by a webhook'));
  expect(told).toContain('a InstanceDeletionFailed');
  contents.failure = undefined;
  await clock.advance(60_000);
  expect(told.at(-1)).toBe('a released');
});
