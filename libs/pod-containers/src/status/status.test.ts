import { ApiError } from '@orch/client';
import { notFound } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Container, ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { nothingOf, type ObservedContainer, type ObservedPod } from '../containers/observed-pod.js';
import { type PodStatusInputs, podStatusOf } from './pod-status.js';
import { StatusManager } from './status-manager.js';
import { statusPatch } from './status-patch.js';

const T = Date.UTC(2023, 0, 1);
let order = 0;
const run = (name: string, more: Partial<ObservedContainer> = {}): ObservedContainer => {
  const id = `i${++order}`;
  const base = {
    id,
    fullId: `x://${id}`,
    sandboxId: 's',
    name,
    hash: '',
    restartCount: 0,
    image: 'img',
    imageId: 'sha256:1',
  };
  return { ...base, state: 'running', createdAt: T, startedAt: T, exitCode: 0, reason: '', message: '', ...more };
};
const ended = (name: string, exitCode = 0, more: Partial<ObservedContainer> = {}) =>
  run(name, {
    state: 'exited',
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    finishedAt: T + 5_000,
    ...more,
  });

const podOf = (spec: PodSpec, more: Partial<Pod> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [{ name: 'c', image: 'img' }], ...spec },
  ...more,
});
const observedOf = (...containers: ObservedContainer[]): ObservedPod => ({
  ...nothingOf('u', 'p', 'ns'),
  sandboxes: [{ id: 's', state: 'ready', attempt: 0, hostNetwork: false, ips: ['10.1.0.5'] }],
  containers,
});
const statusOf = (pod: Pod, observed: ObservedPod, more: Partial<PodStatusInputs> = {}): PodStatus =>
  podStatusOf({
    pod,
    observed,
    previous: undefined,
    waiting: () => undefined,
    probed: (status) => ({
      ...status,
      started: status.state?.running !== undefined,
      ready: status.state?.running !== undefined,
    }),
    isEnding: false,
    isStatic: false,
    hostIPs: ['192.168.0.1'],
    ...more,
  });
const two: Container[] = [{ name: 'a' }, { name: 'b' }];
const init: PodSpec = { initContainers: [{ name: 'i1' }, { name: 'i2' }] };

describe('the phase of a pod', () => {
  it.each<[string, PodSpec, ObservedContainer[], boolean?]>([
    ['Pending', {}, []],
    ['Pending', {}, [run('c', { state: 'created' })]],
    ['Running', {}, [run('c')]],
    ['Pending', { containers: two }, [run('a')]],
    ['Running', { containers: two }, [run('a'), ended('b')]],
    ['Running', { restartPolicy: 'Always' }, [ended('c')]],
    ['Succeeded', { restartPolicy: 'OnFailure' }, [ended('c')]],
    ['Running', { restartPolicy: 'OnFailure' }, [ended('c', 1)]],
    ['Succeeded', { restartPolicy: 'Never' }, [ended('c')]],
    ['Failed', { restartPolicy: 'Never' }, [ended('c', 1)]],
    ['Failed', { restartPolicy: 'Never', containers: two }, [ended('a', 1), ended('b')]],
    ['Failed', { restartPolicy: 'Always' }, [ended('c', 143)], true],
    ['Succeeded', { restartPolicy: 'Always' }, [ended('c')], true],
    ['Pending', init, [run('i1')]],
    ['Pending', init, [ended('i1')]],
    ['Pending', init, [ended('i1', 1)]],
    ['Failed', { ...init, restartPolicy: 'Never' }, [ended('i1', 1)]],
    ['Running', init, [ended('i1'), ended('i2'), run('c')]],
  ])('is %s', (phase, spec, containers, isEnding = false) => {
    expect(statusOf(podOf(spec), observedOf(...containers), { isEnding }).phase).toBe(phase);
  });

  it('stays once it is final', () => {
    for (const final of ['Failed', 'Succeeded'] as const) {
      expect(statusOf(podOf({}), observedOf(run('c')), { previous: { phase: final } }).phase).toBe(final);
      expect(statusOf(podOf({}, { status: { phase: final } }), observedOf(run('c'))).phase).toBe(final);
    }
  });
});

describe('the conditions of a pod', () => {
  const of = (pod: Pod, observed: ObservedPod, more = {}) =>
    Object.fromEntries(
      (statusOf(pod, observed, more).conditions ?? []).map(({ type, status, reason, message }) => [
        type,
        [status, reason, message].filter(Boolean).join(' | '),
      ]),
    );

  it('follow its containers', () => {
    expect(of(podOf(init), observedOf(run('i1')))).toEqual({
      Initialized: 'False | ContainersNotInitialized | containers with incomplete status: [i1 i2]',
      Ready: 'False | ContainersNotReady | containers with unready status: [c]',
      ContainersReady: 'False | ContainersNotReady | containers with unready status: [c]',
      PodScheduled: 'True',
    });
    expect(of(podOf({}), observedOf(run('c')))).toEqual({
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      PodScheduled: 'True',
    });
    expect(of(podOf({ restartPolicy: 'Never' }), observedOf(ended('c')))).toEqual({
      Initialized: 'True | PodCompleted',
      Ready: 'False | PodCompleted',
      ContainersReady: 'False | PodCompleted',
      PodScheduled: 'True',
    });
    expect(of(podOf({ restartPolicy: 'Never' }), observedOf(ended('c', 1)))).toMatchObject({
      Ready: 'False | PodFailed',
      ContainersReady: 'False | PodFailed',
    });
  });

  it('wait for readiness gates', () => {
    const spec = { readinessGates: [{ conditionType: 'x/y' }] };
    expect(of(podOf(spec), observedOf(run('c'))).Ready).toBe(
      'False | ReadinessGatesNotReady | corresponding condition of pod readiness gate "x/y" does not exist.',
    );
    const gate = (status: 'True' | 'False') => podOf(spec, { status: { conditions: [{ type: 'x/y', status }] } });
    expect(of(gate('False'), observedOf(run('c'))).Ready).toContain(
      'the status of pod readiness gate "x/y" is not "True", but False',
    );
    expect(of(gate('True'), observedOf(run('c')))).toMatchObject({ Ready: 'True', 'x/y': 'True' });
  });
});

describe('the status of a container', () => {
  const first = (pod: Pod, observed: ObservedPod, more = {}): ContainerStatus =>
    statusOf(pod, observed, more).containerStatuses?.[0] ?? {};

  it('waits before it runs', () => {
    expect(first(podOf({}), observedOf()).state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(first(podOf(init), observedOf()).state).toEqual({ waiting: { reason: 'PodInitializing' } });
  });

  it('says how it runs and how its last run ended', () => {
    const status = first(
      podOf({}),
      observedOf(run('c', { restartCount: 1 }), ended('c', 137, { reason: 'OOMKilled', message: 'm' })),
    );
    expect(status).toMatchObject({
      restartCount: 1,
      image: 'img',
      imageID: 'sha256:1',
      state: { running: { startedAt: '2023-01-01T00:00:00Z' } },
      lastState: {
        terminated: { exitCode: 137, reason: 'OOMKilled', message: 'm', finishedAt: '2023-01-01T00:00:05Z' },
      },
    });
  });

  it('waits again with the reason of its last start', () => {
    const waiting = () => ({ reason: 'CrashLoopBackOff', message: 'back-off 10s' });
    const status = first(podOf({}), observedOf(ended('c', 1)), { waiting });
    expect(status.state).toEqual({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } });
    expect(status.lastState?.terminated).toMatchObject({ exitCode: 1 });
    expect(
      first(podOf({ restartPolicy: 'Never' }), observedOf(ended('c', 1)), { waiting }).state?.terminated,
    ).toBeDefined();
    expect(first(podOf({}), observedOf(run('c')), { waiting }).state?.running).toBeDefined();
  });

  it('keeps the end of a run that the runtime does not have any more', () => {
    const previous = statusOf(podOf({ restartPolicy: 'Never' }), observedOf(ended('c', 3)));
    expect(first(podOf({ restartPolicy: 'Never' }), observedOf(), { previous }).state?.terminated?.exitCode).toBe(3);
  });

  it('is a failure where its end was not seen', () => {
    const previous = statusOf(podOf({}), observedOf(run('c', { restartCount: 2 })));
    expect(first(podOf({}), observedOf(), { previous })).toMatchObject({
      restartCount: 3,
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    });
    expect(statusOf(podOf({}), observedOf(), { previous }).phase).toBe('Running');
    expect(first(podOf({}), observedOf(run('c', { state: 'unknown' })), { previous })).toMatchObject({
      state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
      restartCount: 3,
    });
  });

  it('of an init container is ready when it has succeeded', () => {
    const { initContainerStatuses } = statusOf(podOf(init), observedOf(run('i2'), ended('i1')));
    expect(initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, false]);
  });
});

describe('the addresses of a pod', () => {
  it('are those of its sandbox, or of the node', () => {
    expect(statusOf(podOf({}), observedOf())).toMatchObject({
      podIP: '10.1.0.5',
      podIPs: [{ ip: '10.1.0.5' }],
      hostIP: '192.168.0.1',
    });
    const hostIPs = ['192.168.0.1', 'fd00::1'];
    expect(statusOf(podOf({ hostNetwork: true }), observedOf(), { hostIPs })).toMatchObject({
      podIP: '192.168.0.1',
      podIPs: [{ ip: '192.168.0.1' }, { ip: 'fd00::1' }],
    });
  });
});

describe('a patch of a status', () => {
  const condition = (type: string, status: 'True' | 'False'): PodCondition => ({ type, status });
  it('has what differs, and nothing else', () => {
    const before: PodStatus = {
      phase: 'Pending',
      message: 'm',
      conditions: [condition('A', 'True'), condition('B', 'False'), condition('C', 'True')],
    };
    const after: PodStatus = { phase: 'Running', conditions: [condition('A', 'True'), condition('B', 'True')] };
    expect(statusPatch(before, after)).toEqual({
      phase: 'Running',
      message: null,
      '$setElementOrder/conditions': [{ type: 'A' }, { type: 'B' }],
      conditions: [
        { type: 'B', status: 'True' },
        { $patch: 'delete', type: 'C' },
      ],
    });
    expect(statusPatch(after, structuredClone(after))).toBeUndefined();
  });

  it('takes members that the API shows as null for absent', () => {
    const after: PodStatus = { phase: 'Running', conditions: [condition('A', 'True')] };
    const shown = { phase: 'Running', reason: null, conditions: [{ ...condition('A', 'True'), lastProbeTime: null }] };
    expect(statusPatch(shown as unknown as PodStatus, after)).toBeUndefined();
  });
});

describe('the status manager', () => {
  function managed(stored: Pod | undefined, mayRun = false, isStatic = false) {
    const clock = new ManualClock();
    const calls: unknown[] = [];
    const state = { stored, mayRun, isDown: false, asked: 0, shown: undefined as Pod | undefined, version: 1 };
    const gone = () => new ApiError(notFound({ group: '', resource: 'pods' }, 'p').status);
    const client = {
      async get() {
        state.asked++;
        if (state.isDown) throw new Error('down');
        if (!state.stored) throw gone();
        return state.stored as never;
      },
      async patch(
        _ref: unknown,
        _name: string,
        type: string,
        body: { status: PodStatus },
        _query: unknown,
        options: { subresource: string },
      ) {
        if (state.isDown) throw new Error('down');
        calls.push([type, options.subresource, body]);
        const metadata = { ...state.stored?.metadata, resourceVersion: String(++state.version) };
        state.stored = { metadata, status: { ...state.stored?.status, ...body.status } };
        return state.stored as never;
      },
      async delete(_ref: unknown, _name: string, body: unknown) {
        calls.push(['delete', body]);
        return {};
      },
    };
    const manager = new StatusManager({
      client: client as never,
      shown: () => state.shown,
      mirrorOf: () => (isStatic ? state.stored : undefined),
      isStatic: () => isStatic,
      mayRun: () => state.mayRun,
      clock,
      logger: silentLogger,
    });
    return { clock, calls, manager, state };
  }
  const running = (pod: Pod) => statusOf(pod, observedOf(run('c', { fullId: 'x://1' })));

  it('reports differences once, with the time of transitions', async () => {
    const pod = podOf({});
    const { manager, clock, calls } = managed(pod);
    manager.set(pod, running(pod));
    await clock.settle();
    manager.set(pod, running(pod));
    await clock.settle();
    expect(calls).toMatchObject([
      [
        'strategic',
        'status',
        { metadata: { uid: 'u' }, status: { phase: 'Running', startTime: '2023-04-11T00:00:00Z' } },
      ],
    ]);
    const conditions = manager.get('u')?.conditions ?? [];
    expect(conditions.every(({ lastTransitionTime }) => lastTransitionTime === '2023-04-11T00:00:00Z')).toBe(true);
    await clock.advance(60_000);
    manager.set(pod, statusOf(pod, observedOf(ended('c', 1))));
    const times = manager.get('u')?.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
    expect(times).toContainEqual(['Ready', '2023-04-11T00:01:00Z']);
    expect(times).toContainEqual(['Initialized', '2023-04-11T00:00:00Z']);
  });

  it('tries again when the API is away', async () => {
    const pod = podOf({});
    const { manager, clock, calls, state } = managed(pod);
    state.isDown = true;
    manager.set(pod, running(pod));
    await clock.advance(3_000);
    state.isDown = false;
    await clock.advance(10_000);
    expect(calls).toHaveLength(1);
  });

  it('asks for nothing while the API has what it has reported', async () => {
    const pod = podOf({});
    const { manager, clock, state } = managed(pod);
    manager.start();
    manager.set(pod, running(pod));
    await clock.settle();
    const reported = state.stored ?? {};
    const before = state.asked;
    for (let round = 0; round < 5; round++) await clock.advance(10_000);
    // As a watch shows what was just written.
    manager.reconcile(reported);
    await clock.settle();
    expect(state.asked).toBe(before);
    state.stored = { ...reported, status: { ...reported.status, phase: 'Pending' } };
    manager.reconcile(state.stored);
    await clock.settle();
    expect(state.stored.status?.phase).toBe('Running');
    await manager.stop();
  });

  it('reads a pod that a watch shows only after a failure, and knows its own writes before the watch does', async () => {
    const pod = podOf({}, { metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1' } });
    const { manager, clock, calls, state } = managed(pod);
    state.shown = pod;
    manager.set(pod, running(pod));
    await clock.settle();
    const first = state.stored ?? {};
    manager.set(pod, { ...running(pod), message: 'm' });
    await clock.settle();
    expect([state.asked, calls.length]).toEqual([0, 2]);
    // Nothing but the difference from the write before, which the watch does not show yet.
    expect(calls[1]).toMatchObject(['strategic', 'status', { status: { message: 'm' } }]);
    expect(Object.keys((calls[1] as [string, string, { status: object }])[2].status)).toEqual(['message']);
    for (const shown of [first, state.stored ?? {}]) {
      state.shown = shown;
      manager.reconcile(shown);
      await clock.settle();
    }
    expect([state.asked, calls.length]).toEqual([0, 2]);
    // Somebody else has changed it.
    state.stored = { ...state.stored, metadata: { ...first.metadata, resourceVersion: '9' }, status: {} };
    state.shown = state.stored;
    manager.reconcile(state.shown);
    await clock.settle();
    expect([state.asked, calls.length]).toEqual([0, 3]);
    state.isDown = true;
    manager.set(pod, running(pod));
    await clock.settle();
    state.isDown = false;
    await clock.advance(1_000);
    expect([state.asked, calls.length]).toEqual([1, 4]);
    await manager.stop();
  });

  it('asks for nothing when a pod that was looked at has the status that it had', async () => {
    const pod = podOf({});
    const { manager, clock, state } = managed(pod);
    manager.start();
    manager.set(pod, running(pod));
    await clock.settle();
    const { asked } = state;
    manager.set({ ...pod }, running(pod));
    await clock.advance(30_000);
    expect(state.asked).toBe(asked);
  });

  it('leaves another pod of the name alone', async () => {
    const pod = podOf({});
    const { manager, clock, calls } = managed({ ...pod, metadata: { ...pod.metadata, uid: 'other' } });
    manager.set(pod, running(pod));
    await clock.settle();
    expect(calls).toEqual([]);
  });

  it('keeps the phase while containers may run, and deletes the pod when all is over', async () => {
    const deletionTimestamp = '2023-01-01T00:00:00Z';
    const pod = podOf({}, { status: { phase: 'Running' } });
    const deleted = { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
    const { manager, clock, calls, state } = managed(deleted, true);
    manager.set(deleted, statusOf(deleted, observedOf(ended('c', 143)), { isEnding: true }));
    await clock.settle();
    expect(state.stored?.status?.phase).toBe('Running');
    state.mayRun = false;
    manager.finish(deleted);
    await clock.settle();
    expect(state.stored?.status?.phase).toBe('Failed');
    expect(calls.at(-1)).toEqual(['delete', { gracePeriodSeconds: 0, preconditions: { uid: 'u' } }]);
  });

  it('makes failures of containers whose end was not seen', () => {
    const pod = podOf({});
    const { manager } = managed(pod);
    manager.set(pod, running(pod));
    manager.finish(pod);
    expect(manager.get('u')).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } }],
    });
  });

  it('never lets an ended container run again against the restart policy', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    const { manager } = managed(pod);
    manager.set(pod, statusOf(pod, observedOf(ended('c'))));
    manager.set(pod, running(pod));
    expect(manager.get('u')?.containerStatuses?.[0]?.state?.terminated).toBeDefined();
  });

  it('reports static pods by their mirror, and never deletes it', async () => {
    const pod = podOf({});
    const mirror = { ...pod, metadata: { ...pod.metadata, uid: 'mirror', deletionTimestamp: 'now' } };
    const { manager, clock, calls } = managed(mirror, false, true);
    manager.set(pod, running(pod));
    manager.finish(pod);
    await clock.settle();
    const report = ['strategic', 'status', { metadata: { uid: 'mirror' } }];
    expect(calls).toMatchObject([report, report]);
  });

  it('reports to a mirror that was made anew, and asks for nothing before', async () => {
    const pod = podOf({});
    const mirror = { ...pod, metadata: { ...pod.metadata, uid: 'mirror' } };
    const { manager, clock, calls, state } = managed(mirror, false, true);
    manager.start();
    manager.set(pod, running(pod));
    await clock.settle();
    const { asked } = state;
    await clock.advance(30_000);
    expect(state.asked).toBe(asked);
    state.stored = undefined;
    await clock.advance(10_000);
    expect(state.asked).toBe(asked);
    state.stored = { ...mirror, metadata: { ...mirror.metadata, uid: 'another' } };
    await clock.advance(10_000);
    expect(calls.at(-1)).toMatchObject(['strategic', 'status', { metadata: { uid: 'another' } }]);
    await manager.stop();
  });

  it('cuts messages, so that those of a pod stay short together', () => {
    const pod = podOf({});
    const { manager } = managed(pod);
    manager.set(pod, statusOf(pod, observedOf(ended('c', 1, { message: 'x'.repeat(20_000) }))));
    expect(manager.get('u')?.containerStatuses?.[0]?.state?.terminated?.message).toHaveLength(12 * 1024);
  });

  it('compares again when the API shows another status', async () => {
    const pod = podOf({});
    const { manager, clock, calls, state } = managed(pod);
    manager.start();
    manager.set(pod, running(pod));
    await clock.settle();
    state.stored = { ...pod, status: { phase: 'Pending' } };
    manager.reconcile(state.stored);
    await clock.settle();
    expect(calls).toHaveLength(2);
    await manager.stop();
    expect(clock.pending).toBe(0);
  });
});
