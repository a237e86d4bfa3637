import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { Leadership } from '@orch/runtime/work';
import { leavingOut, type TestApi, testApi, thingDefinition } from '@orch/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DefinitionController } from './definition-controller.js';
import { DefinitionFollower } from './definition-follower.js';
import { DefinitionWriter } from './definition-writer.js';

let api: TestApi;
let endpoint: Endpoint;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  endpoint = api.endpoint('customresourcedefinitions');
});
afterEach(() => api.close());

/** One round of a process that has just come to lead, and cannot read the definitions of these names. @returns what it could not read */
async function round(...unreadable: string[]): Promise<string[]> {
  const { names, pipeline, now } = api.deps;
  const told: string[] = [];
  const onError = (error: unknown) => void told.push((error as Error).message);
  const follower = new DefinitionFollower({
    ...{ source: leavingOut(api.store, ({ name }) => unreadable.includes(name)), feed: api.feed, endpoint, onError },
  });
  await follower.start();
  const nothing = { pending: () => [], begin: () => 0, idle: async () => undefined };
  const controller = new DefinitionController({
    ...{ follower, onError, cleaner: nothing, migrator: nothing },
    leadership: new Leadership({ take: async () => true, giveBack: async () => undefined }),
    writer: new DefinitionWriter({ pipeline, endpoint, names, now }),
    leastProgress: async () => undefined,
  });
  controller.start();
  await controller.stop();
  follower.stop();
  return told;
}

/** Whether a definition was given its names, and why; undefined where nothing was decided on them. */
function accepted(name: string): string | undefined {
  const { status } = api.stored('customresourcedefinitions', name) as ApiObject;
  const { conditions } = (status ?? {}) as { conditions?: Record<string, string>[] };
  const found = conditions?.find(({ type }) => type === 'NamesAccepted');
  return found && `${found.status} ${found.reason}`;
}

it('gives no definition names while another cannot be read, which may have them', async () => {
  const [first, second] = ['things.example.com', 'others.example.com'] as const;
  await api.create('customresourcedefinitions', thingDefinition());
  await round();
  expect(accepted(first)).toBe('True NoConflicts');
  await api.create(
    'customresourcedefinitions',
    thingDefinition({ names: { plural: 'others', singular: 'other', listKind: 'OtherList' } }),
  );
  expect(await round(first)).toEqual(['unable to read things "things.example.com": no key']);
  expect(accepted(second)).toBeUndefined();
  expect(await round()).toEqual([]);
  expect(accepted(second)).toBe('False KindConflict');
});
