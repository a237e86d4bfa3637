import { namesOf } from '@orch/machinery';
import { Metrics, silentLogger } from '@orch/runtime';
import { FakeCluster } from '@orch/scheduler/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WritingTerm } from './cluster.js';
import { configurationOf } from './configuration.js';
import type { ApiRequests } from './requests.js';
import { type SchedulingComponent, schedulingComponent } from './scheduling.js';

const NAMES = namesOf('kubernetes');
const LEASE = { leaseDurationMs: 900, renewDeadlineMs: 600, retryPeriodMs: 100 };
const hangs = () => new Promise<never>(() => undefined);

let cluster: FakeCluster;
let component: SchedulingComponent;
/** Terms in which something was written, and the pods that were bound. */
let terms: WritingTerm[];
let bound: string[];
/** Whether requests of the lease are answered. */
let answersLease: boolean;
let errors: unknown[];

beforeEach(async () => {
  [cluster, terms, bound, errors, answersLease] = [new FakeCluster(), [], [], [], true];
  cluster.node('n');
  cluster.pod('p');
  cluster.pod('fits-nowhere', { spec: { nodeSelector: { none: 'such' } } });
  const nothing = { get: hangs, create: hangs, replace: hangs, patch: hangs, delete: hangs, bind: hangs };
  const lease: ApiRequests = {
    ...nothing,
    get: async () => (answersLease ? {} : hangs()),
    replace: async (_ref, object) => object,
  };
  const writes = (term: WritingTerm): ApiRequests => {
    const untilEnded = (): Promise<never> =>
      new Promise((_, reject) => term.ended.addEventListener('abort', () => reject(term.ended.reason)));
    return {
      ...nothing,
      patch: untilEnded,
      bind(pod) {
        terms.push(term);
        bound.push(pod.name);
        return untilEnded();
      },
    };
  };
  const { configuration: defaults } = await configurationOf({ file: undefined, names: NAMES });
  component = schedulingComponent({
    ...{ maxBindings: 4, names: NAMES, metrics: new Metrics() },
    configuration: { ...defaults, leaderElection: { ...defaults.leaderElection, ...LEASE } },
    logger: { ...silentLogger, error: (_message, error) => void errors.push(error) },
    cluster: {
      informers: { ...cluster.informers, start: async () => undefined, stop: async () => undefined },
      ...{ events: nothing, writes, lease: () => lease, close: async () => undefined },
    },
  });
  await component.start();
  await expect.poll(() => bound).toEqual(['p']);
});
afterEach(() => component?.stop(AbortSignal.abort()));

it('gives up what is in flight when its lease may have lapsed, though a renewal hangs', async () => {
  const [term] = terms;
  expect(term).toMatchObject({ goesOn: true, ended: { aborted: false } });
  answersLease = false;
  await expect.poll(() => term?.ended.aborted).toBe(true);
  expect(term?.goesOn).toBe(false);
  cluster.pod('q');
  expect([bound, errors]).toEqual([['p'], []]);
});

it('may not write any more once its lease may have lapsed, even before it is told', async () => {
  const [term] = terms;
  answersLease = false;
  // As a process that was suspended: no timer has run yet.
  const until = performance.now() + LEASE.renewDeadlineMs + 10;
  while (performance.now() < until);
  expect(term).toMatchObject({ goesOn: false, ended: { aborted: false } });
});

it('ends in time though its lease cannot be given back, and begins no other term', async () => {
  answersLease = false;
  const deadline = new AbortController();
  const stopped = component.stop(deadline.signal);
  await expect.poll(() => terms[0]?.ended.aborted).toBe(true);
  deadline.abort();
  await stopped;
  answersLease = true;
  cluster.pod('q');
  expect([bound, errors]).toEqual([['p'], []]);
});
