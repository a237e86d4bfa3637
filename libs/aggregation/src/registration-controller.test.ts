import { ObjectFollower } from '@orch/informers';
import type { Endpoint } from '@orch/resources';
import { Leadership } from '@orch/runtime/work';
import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AvailabilityChecks } from './availability-checks.js';
import type { LocalRegistration } from './local-registrations.js';
import { managedLabel, type Registration, readRegistration } from './registration.js';
import { RegistrationController } from './registration-controller.js';
import { RegistrationWriter } from './registration-writer.js';

let api: TestApi;
let registrations: Endpoint;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  registrations = api.endpoint('apiservices');
});
afterEach(() => api.close());

const SERVED: LocalRegistration = {
  ...{ name: 'v1.served.com', group: 'served.com', version: 'v1', groupPriority: 1_000, versionPriority: 100 },
  managed: 'true',
};

/** One round of a process that has just come to lead, and that serves nothing but {@link SERVED}. */
async function round(isPartial: boolean): Promise<void> {
  const { names, pipeline, remover, now } = api.deps;
  const onError = (error: unknown) => expect.unreachable(String(error));
  const follower = new ObjectFollower<Registration>({
    ...{ source: api.store, feed: api.feed, type: registrations.type, onError },
    read: (row) => readRegistration(row, registrations, names),
  });
  await follower.start();
  const controller = new RegistrationController({
    ...{ follower, onError },
    leadership: new Leadership({ take: async () => true, giveBack: async () => undefined }),
    checks: new AvailabilityChecks({
      backings: { of: () => undefined },
      extensions: { unverified: () => expect.unreachable('nobody else answers for anything') },
      onAnswer: () => undefined,
    }),
    writer: new RegistrationWriter({ pipeline, remover, endpoint: registrations, names, now }),
    local: () => new Map([[SERVED.name, SERVED]]),
    isPartial: () => isPartial,
    onUnavailable: () => undefined,
  });
  controller.start();
  await controller.stop();
  follower.stop();
}

const registered = () =>
  api.store
    .rows(registrations.type)
    .map(({ name }) => name)
    .sort();

it('takes no registration away of what it does not serve while a definition cannot be read, and makes those of what it does', async () => {
  for (const managed of ['true', 'onstart'])
    await api.create('apiservices', {
      metadata: { name: `v1.${managed}.com`, labels: { [managedLabel(api.deps.names)]: managed } },
      spec: { group: `${managed}.com`, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 100 },
    });
  await round(true);
  expect(registered()).toEqual(['v1.onstart.com', 'v1.served.com', 'v1.true.com']);
  await round(false);
  expect(registered()).toEqual(['v1.served.com']);
});
