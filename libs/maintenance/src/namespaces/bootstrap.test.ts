import { namesOf, StatusError } from '@orch/machinery';
import type { Clock } from '@orch/runtime';
import { type TestApi, testApi } from '@orch/testing';
import { openClaims } from '@orch/writing';
import { expect, test, vi } from 'vitest';
import { type BootstrapOptions, bootstrap } from './bootstrap.js';

const ADDRESS = '10.96.0.1';

/** Time in which each wait is over at once, and `during` it something may happen. */
function hurried(during: () => Promise<unknown>): Clock & { waits: number } {
  const clock = {
    waits: 0,
    now: () => 0,
    after(_: number, then: () => void) {
      clock.waits++;
      void during().then(then);
      return () => undefined;
    },
  };
  return clock as unknown as Clock & { waits: number };
}

/** The address as another server claims it for its Service, before that can be seen. */
const claimed = async ({ store }: TestApi) =>
  (await openClaims(store)).clusterIPs.claim(ADDRESS, { namespace: 'default', name: 'other', uid: 'other' });

const optionsOf = ({ deps, endpoint }: TestApi, clock: Clock): BootstrapOptions => ({
  reader: deps.reader,
  pipeline: deps.pipeline,
  names: namesOf('orch'),
  services: endpoint('services', ''),
  serviceAddress: ADDRESS,
  securePort: 6443,
  priorityClasses: undefined,
  clock,
});

test('the Service of the API is made once whoever has claimed its address has let it go or made it', async () => {
  const api = await testApi();
  const other = await claimed(api);
  const clock = hurried(async () => clock.waits === 3 && (await other?.release()));
  await bootstrap(optionsOf(api, clock));
  expect(clock.waits).toBe(3);
  expect(api.stored('services', namesOf('orch').apiServiceName)?.spec).toMatchObject({ clusterIP: ADDRESS });
  await bootstrap(optionsOf(api, clock));
  expect(clock.waits, 'it is there').toBe(3);
  api.close();
});

test('an address that stays claimed fails the start, in the end', async () => {
  const api = await testApi();
  await claimed(api);
  const clock = hurried(async () => undefined);
  await expect(bootstrap(optionsOf(api, clock))).rejects.toThrow(/already allocated/);
  expect(clock.waits).toBe(100);
  api.close();
});

test('what has failed for another reason fails the start at once', async () => {
  const api = await testApi();
  const clock = hurried(async () => undefined);
  const options = optionsOf(api, clock);
  const refused = new StatusError('Forbidden', 'not here');
  vi.spyOn(options.pipeline, 'write').mockRejectedValue(refused);
  await expect(bootstrap(options)).rejects.toBe(refused);
  expect(clock.waits).toBe(0);
  api.close();
});
