import { StoreInformer } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { ManualClock } from '@orch/runtime/testing';
import { LEADERSHIP_MS, RENEWAL_MS } from '@orch/runtime/work';
import { type RunSettings, runControllers, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Backing } from './availability.js';
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

interface ApiCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

const SERVED: LocalRegistration = {
  ...{ name: 'v1.served.com', group: 'served.com', version: 'v1', groupPriority: 1_000, versionPriority: 100 },
  managed: 'true',
};

/** A process that looks after registrations and serves nothing but {@link SERVED}, unless the test says otherwise. */
function processOf({ isPartial = false }: { isPartial?: boolean } = {}) {
  const { names, pipeline, remover, now } = api.deps;
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const informer = new StoreInformer<Registration>({
    ...{ source: api.store, feed: api.feed, type: registrations.type, onError },
    read: (row) => readRegistration(row, registrations, names),
  });
  const writer = new RegistrationWriter({ pipeline, remover, endpoint: registrations, names, now });
  const served = { now: new Map([[SERVED.name, SERVED]]), onChange: (): void => undefined };
  const backing: { now: Backing | undefined } = { now: undefined };
  const writing: Pick<RegistrationWriter, 'report' | 'sync'> = {
    report: (...reported) => writer.report(...reported),
    sync: (...synced) => writer.sync(...synced),
  };
  const unavailable: string[] = [];
  const controller = new RegistrationController({
    informer,
    checks: new AvailabilityChecks({
      backings: { of: () => backing.now },
      extensions: { unverified: () => expect.unreachable('nobody else answers for anything') },
      onAnswer: () => undefined,
    }),
    writer: writing,
    local: () => served.now,
    onServed: (listener) => {
      served.onChange = listener;
      return () => undefined;
    },
    isPartial: () => isPartial,
    onUnavailable: ({ name }, reason) => void unavailable.push(`${name} ${reason}`),
  });
  const run = (settings: RunSettings = {}) => runControllers(controller, { onError, ...settings });
  return { informer, controller, writing, errors, served, backing, unavailable, run };
}

/** One look of a process at all registrations. */
async function look(isPartial: boolean): Promise<void> {
  const { informer, controller, errors } = processOf({ isPartial });
  await informer.start();
  for (const { sources, reconcile } of controller.controllers)
    for (const name of new Set(sources.flatMap((source) => [...source.keys()])))
      await reconcile(name, { goesOn: true });
  expect(errors).toEqual([]);
  controller.stop();
  await informer.stop();
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
  await look(true);
  expect(registered()).toEqual(['v1.onstart.com', 'v1.served.com', 'v1.true.com']);
  await look(false);
  expect(registered()).toEqual(['v1.served.com']);
});

describe('the controller of registrations', () => {
  const OTHER = { ...SERVED, name: 'v1.other.com', group: 'other.com' };
  const REMOTE = 'v1.remote.com';
  const remote = (): ApiObject => ({
    metadata: { name: REMOTE },
    spec: {
      ...{ group: 'remote.com', version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 100 },
      ...{ service: { namespace: 'default', name: 'answerer' }, insecureSkipTLSVerify: true },
    },
  });
  /** What a registration is told: `Status Reason`. */
  const told = (name: string) => {
    const { status } = (api.stored('apiservices', name) ?? {}) as { status?: { conditions?: ApiCondition[] } };
    const found = status?.conditions?.find(({ type }) => type === 'Available');
    return found && `${found.status} ${found.reason}`;
  };
  /** Lets time pass before each look. */
  const soon = (clock: ManualClock, check: () => unknown) =>
    expect.poll(async () => {
      await clock.advance(50);
      return check();
    });

  it('begins once they are known, is woken by what is served and by services, and writes nothing at rest', async () => {
    await api.create('apiservices', remote());
    const { informer, controller, errors, served, backing, unavailable, run } = processOf();
    const clock = new ManualClock();
    const running = await run({ clock });
    await clock.settle();
    expect([registered(), errors]).toEqual([[REMOTE], ['objects are not followed']]);
    await informer.start();
    await soon(clock, () => told(SERVED.name)).toBe('True Local');
    expect(told(REMOTE)).toBeUndefined();
    served.now = new Map([[OTHER.name, OTHER]]);
    served.onChange();
    await soon(clock, () => told(OTHER.name)).toBe('True Local');
    await soon(clock, registered).toEqual([OTHER.name, REMOTE]);
    backing.now = { service: undefined, endpoints: undefined };
    controller.askOfServices();
    await soon(clock, () => told(REMOTE)).toBe('False ServiceNotFound');
    await informer.confirm();
    await clock.advance(1_000);
    const writes = api.store.writes.length;
    await clock.advance(60_000);
    expect([api.store.writes.length, unavailable]).toEqual([writes, []]);
    await running.stop();
    await informer.stop();
  });

  it('tries one that is refused again with backoff, and keeps nobody from the others', async () => {
    const { informer, writing, errors, served, run } = processOf();
    served.now.set(OTHER.name, OTHER);
    const clock = new ManualClock();
    const tries: number[] = [];
    const { sync } = writing;
    let isRefused = true;
    Object.assign(writing, {
      sync: (...synced: Parameters<typeof sync>) => {
        if ('wanted' in synced[0] && synced[0].wanted === SERVED && isRefused) {
          tries.push(clock.now());
          throw new Error('refused');
        }
        return sync(...synced);
      },
    });
    await informer.start();
    const running = await run({ clock });
    await soon(clock, () => told(OTHER.name)).toBe('True Local');
    await clock.advance(20_000);
    const waits = tries.slice(1).map((at, before) => at - (tries[before] ?? 0));
    expect(waits.slice(0, 6)).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000]);
    expect(errors).toEqual(tries.map(() => 'refused'));
    isRefused = false;
    await clock.advance(5_000);
    await soon(clock, () => told(SERVED.name)).toBe('True Local');
    await running.stop();
    await informer.stop();
  });

  it('writes nothing any more once the lease is lost, though it has begun', async () => {
    const { informer, writing, errors, run } = processOf();
    const clock = new ManualClock();
    const { sync } = writing;
    let [isFree, begun, lost] = [true, 0, 0];
    let goOn = (): void => undefined;
    Object.assign(writing, {
      sync: async (...synced: Parameters<typeof sync>) => {
        begun++;
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        await sync(...synced).finally(() => lost++);
      },
    });
    await informer.start();
    const running = await run({ clock, isFree: () => isFree });
    await soon(clock, () => begun).toBe(1);
    isFree = false;
    await clock.advance(LEADERSHIP_MS);
    goOn();
    await soon(clock, () => lost).toBe(1);
    await clock.advance(60_000);
    expect([registered(), begun, errors]).toEqual([[], 1, []]);
    isFree = true;
    await clock.advance(RENEWAL_MS);
    const again = () => {
      goOn();
      return told(SERVED.name);
    };
    await soon(clock, again).toBe('True Local');
    await running.stop();
    await informer.stop();
  });
});
