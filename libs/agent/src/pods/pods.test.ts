import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podOf, TestAgent } from '../testing/test-agent.js';

let test: TestAgent;
beforeEach(async () => {
  test = await TestAgent.start();
});
afterEach(() => test.end());

const state = (name: string, at = 0) => test.status(name).containerStatuses?.[at]?.state;

describe('a pod', () => {
  it('has a sandbox of the handler that its RuntimeClass names, or waits for the class', async () => {
    await test.create('p', { containers: [{ name: 'c' }], runtimeClassName: 'small' });
    await test.pass(2);
    expect(test.status('p').phase).toBe('Pending');
    expect(test.events).toContain(
      'FailedCreatePodSandBox: Failed to create pod sandbox: RuntimeClass "small" not found',
    );
    test.handlers.set('small', 'runsc');
    await test.pass(20);
    expect(test.status('p').phase).toBe('Running');
    expect((await test.runtime.listSandboxes()).map(({ runtimeHandler }) => runtimeHandler)).toEqual(['runsc']);
  });

  it('becomes ready with the conditions of its readiness gates, which others set', async () => {
    await test.create('p', { containers: [{ name: 'c' }], readinessGates: [{ conditionType: 'x/gate' }] });
    await test.pass(2);
    const isReady = () => test.status('p').conditions?.find(({ type }) => type === 'Ready')?.status;
    expect(isReady()).toBe('False');
    const set = (status: string) =>
      test.change('p', ({ status: { conditions = [], ...rest } = {}, ...pod }) => {
        const others = conditions.filter(({ type }) => type !== 'x/gate');
        return { ...pod, status: { ...rest, conditions: [...others, { type: 'x/gate', status }] } };
      });
    await set('True');
    expect(isReady()).toBe('True');
    await set('False');
    expect(isReady()).toBe('False');
  });

  it('runs, is ready, and shows its addresses', async () => {
    await test.create('p', {});
    await test.pass(2);
    expect(test.status('p')).toMatchObject({
      phase: 'Running',
      podIP: '10.88.0.1',
      hostIP: '192.168.0.1',
      containerStatuses: [
        { name: 'c', ready: true, started: true, restartCount: 0, containerID: 'fake://container-2' },
      ],
    });
    expect(test.status('p').conditions?.every(({ status }) => status === 'True')).toBe(true);
    expect(test.events).toEqual([
      'Pulled: Container image "busybox" already present on machine',
      'Created: Created container c',
      'Started: Started container c',
    ]);
  });

  it('shows at once what was started, which no list of all pods has yet', async () => {
    await test.create('p', {});
    expect(test.status('p').phase).toBe('Running');
  });

  it('costs the runtime at rest nothing but the lists of all pods', async () => {
    await test.create('p', {});
    await test.pass(5);
    const methods = ['listContainers', 'listSandboxes', 'containerStatus', 'sandboxStatus', 'conditions'] as const;
    const counts = () => methods.map((method) => test.runtime.faults.count(method));
    const before = counts();
    await test.pass(120);
    const asked = counts().map((count, at) => count - (before[at] ?? 0));
    // It was looked at twice.
    expect(asked).toEqual([120, 120, 0, 0, 2]);
  });

  it('succeeds when its containers end well and are not to be restarted', async () => {
    test.runtime.programs.set('c', { exitAfter: 3_000 });
    await test.create('p', { restartPolicy: 'Never' });
    await test.pass(6);
    expect(test.status('p')).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    });
    expect(test.status('p').conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'PodCompleted' }),
    );
    expect(await test.containers()).toEqual(['c exited']);
    expect(test.api.phases).toEqual(['p Pending', 'p Running', 'p Succeeded']);
  });

  it('fails when one fails', async () => {
    test.runtime.programs.set('c', { exitAfter: 1_000, exitCode: 3 });
    await test.create('p', { restartPolicy: 'Never' });
    await test.pass(4);
    expect(test.status('p')).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
    });
  });

  it('restarts what ends: at once, after 10 s, after 20 s', async () => {
    test.runtime.programs.set('c', { exitAfter: 1_000, exitCode: 1 });
    await test.create('p', {});
    const starts = () => test.runtime.faults.count('startContainer');
    await test.pass(5);
    expect(starts()).toBe(2);
    expect(state('p')).toEqual({
      waiting: {
        reason: 'CrashLoopBackOff',
        message: 'back-off 10s restarting failed container=c pod=p_default(uid-p)',
      },
    });
    expect(test.status('p')).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ restartCount: 1, lastState: { terminated: { exitCode: 1 } } }],
    });
    expect(test.events.at(-1)).toBe('BackOff: Back-off restarting failed container c in pod p_default(uid-p)');
    await test.pass(6);
    expect(starts()).toBe(2);
    await test.pass(4);
    expect(starts()).toBe(3);
    await test.pass(17);
    expect(starts()).toBe(3);
    await test.pass(4);
    expect(starts()).toBe(4);
    // One ended run is kept beside the newest.
    expect(await test.containers()).toHaveLength(2);
  });

  it('runs init containers one after another, before the others', async () => {
    test.runtime.programs.set('i1', { exitAfter: 2_000 }).set('i2', { exitAfter: 2_000 });
    await test.create('p', { initContainers: [{ name: 'i1' }, { name: 'i2' }] });
    await test.pass(1);
    expect(await test.containers()).toEqual(['i1 running']);
    expect(test.status('p').conditions).toContainEqual(
      expect.objectContaining({
        type: 'Initialized',
        status: 'False',
        message: 'containers with incomplete status: [i1 i2]',
      }),
    );
    await test.pass(2);
    expect(await test.containers()).toEqual(['i1 exited', 'i2 running']);
    await test.pass(5);
    expect(await test.containers()).toEqual(['i1 exited', 'i2 exited', 'c running']);
    expect(test.status('p').phase).toBe('Running');
  });

  it('fails with an init container that is not to be restarted', async () => {
    test.runtime.programs.set('i', { exitAfter: 1_000, exitCode: 1 });
    await test.create('p', { initContainers: [{ name: 'i' }], restartPolicy: 'Never' });
    await test.pass(4);
    expect(test.status('p').phase).toBe('Failed');
    expect(await test.containers()).toEqual(['i exited']);
  });

  it('starts ephemeral containers when they appear, and never again', async () => {
    test.runtime.programs.set('debug', { exitAfter: 2_000, exitCode: 1 });
    await test.create('p', {});
    await test.pass(2);
    await test.change('p', (pod) => ({
      ...pod,
      spec: {
        ...pod.spec,
        ephemeralContainers: [
          { name: 'debug', image: 'busybox', imagePullPolicy: 'IfNotPresent', targetContainerName: 'c' },
        ],
      },
    }));
    await test.pass(5);
    expect(await test.containers()).toEqual(['c running', 'debug exited']);
    expect(test.runtime.container('debug').request.config.security.namespaces).toMatchObject({
      pid: 'target',
      targetId: 'container-2',
    });
    expect(test.status('p')).toMatchObject({
      phase: 'Running',
      ephemeralContainerStatuses: [{ name: 'debug', state: { terminated: { exitCode: 1 } } }],
    });
    await test.pass(60);
    expect(await test.containers()).toEqual(['c running', 'debug exited']);
  });

  it('replaces a container whose definition has changed', async () => {
    await test.create('p', {});
    await test.pass(2);
    await test.change('p', (pod) => ({
      ...pod,
      spec: { ...pod.spec, containers: [{ ...pod.spec?.containers?.[0], image: 'nginx:1' }] },
    }));
    await test.pass(3);
    expect(test.events).toContain('Killing: Container c definition changed, will be restarted');
    expect(test.status('p').containerStatuses?.[0]).toMatchObject({
      image: 'nginx:1',
      restartCount: 1,
    });
    expect(await test.containers()).toEqual(['c exited', 'c running']);
  });

  it('gets a new sandbox when its own is gone, and runs init containers again', async () => {
    test.runtime.programs.set('i', { exitAfter: 500 });
    await test.create('p', { initContainers: [{ name: 'i' }] });
    await test.pass(4);
    test.runtime.breakSandbox('sandbox-1');
    await test.pass(6);
    expect(test.events).toContain('SandboxChanged: Pod sandbox changed, it will be killed and re-created.');
    expect(await test.runtime.listSandboxes({ state: 'ready' })).toHaveLength(1);
    expect(test.events.filter((event) => event === 'Started: Started container i')).toHaveLength(2);
    expect(test.status('p')).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 1 }] });
  });

  it('ends at its deadline', async () => {
    await test.create('p', { activeDeadlineSeconds: 5 });
    await test.pass(9);
    expect(test.status('p')).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(await test.containers()).toEqual(['c exited']);
  });
});

describe('a container that cannot be started', () => {
  it.each([
    ['InvalidImageName', { image: 'Bad:Name' }],
    ['ErrImageNeverPull', { image: 'other', imagePullPolicy: 'Never' as const }],
    ['CreateContainerConfigError', { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'k' } } }] }],
    ['CreateContainerConfigError', { securityContext: { runAsNonRoot: true } }],
  ])('waits with %s', async (reason, container) => {
    await test.create('p', { containers: [{ name: 'c', ...container }] });
    await test.pass(1);
    expect(state('p')).toMatchObject({ waiting: { reason } });
    expect(test.status('p').phase).toBe('Pending');
  });

  it('waits for its image, longer each time', async () => {
    await test.create('p', { containers: [{ name: 'c', image: 'missing:1' }] });
    expect(state('p')).toEqual({
      waiting: { reason: 'ErrImagePull', message: 'failed to pull and unpack image "missing:1": not found' },
    });
    const pulls = () => test.runtime.faults.count('pullImage');
    await test.pass(2);
    expect(state('p')).toEqual({
      waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "missing:1"' },
    });
    expect(pulls()).toBe(1);
    await test.pass(9);
    expect(pulls()).toBe(2);
    await test.pass(10);
    expect(pulls()).toBe(2);
    test.runtime.images.publish({ name: 'missing:1' });
    await test.pass(12);
    expect(test.status('p').phase).toBe('Running');
    expect(test.events).toContain('Pulling: Pulling image "missing:1"');
    expect(test.events).toContainEqual(
      expect.stringMatching(/^Pulled: Successfully pulled image "missing:1" in \d+ms \(\d+ms including waiting\)$/),
    );
  });

  it('has the words of the runtime', async () => {
    test.runtime.programs.set('c', { startFailure: 'exec: "x": not found' });
    await test.create('p', {});
    await test.pass(1);
    expect(test.status('p').containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'RunContainerError', message: 'exec: "x": not found' } },
      lastState: { terminated: { exitCode: 128, reason: 'StartError' } },
    });
  });

  it('is killed when its hook after the start fails', async () => {
    test.runtime.programs.set('c', { exec: () => ({ exitCode: 1, stderr: 'no' }) });
    await test.create('p', { containers: [{ name: 'c', lifecycle: { postStart: { exec: { command: ['x'] } } } }] });
    await test.pass(1);
    expect(state('p')).toMatchObject({ waiting: { reason: 'PostStartHookError' } });
    expect(test.events).toContain('FailedPostStartHook: PostStartHook failed');
    expect(test.events).toContain('Killing: FailedPostStartHook');
  });
});

describe('the end of a pod', () => {
  it('comes with the signal, and its deletion from the API when all has ended', async () => {
    await test.create('p', {});
    await test.pass(2);
    await test.delete('p');
    await test.pass(3);
    expect(test.events).toContain('Killing: Stopping container c');
    expect(test.runtime.faults.calls.find(({ method }) => method === 'stopContainer')?.args).toEqual([
      'container-2',
      30,
    ]);
    expect(test.api.phases.slice(-2)).toEqual(['p Failed', 'p deleted']);
    expect([await test.containers(), await test.runtime.listSandboxes()]).toEqual([[], []]);
    expect(test.agent.workers.get('uid-p')).toBeUndefined();
  });

  it('waits for who ignores the signal, not longer than the grace period', async () => {
    test.runtime.programs.set('c', { stopDelay: Number.POSITIVE_INFINITY });
    await test.create('p', {});
    await test.pass(2);
    await test.delete('p', 10);
    await test.pass(8);
    expect(await test.containers()).toEqual(['c running']);
    expect(test.status('p').phase).toBe('Running');
    await test.pass(5);
    expect(test.api.phases.at(-1)).toBe('p deleted');
  });

  it('does not wait for an image, or a hook after the start', async () => {
    test.runtime.faults.slow('pullImage', 3_600_000);
    await test.create('p', { containers: [{ name: 'c', image: 'missing:1' }] });
    test.runtime.programs.set('h', { exec: () => ({ after: 3_600_000 }) });
    await test.create('q', {
      containers: [{ name: 'h', lifecycle: { postStart: { exec: { command: ['x'] } } } }],
    });
    await test.pass(2);
    await test.delete('p');
    await test.delete('q');
    await test.pass(3);
    expect(test.api.phases).toEqual(expect.arrayContaining(['p deleted', 'q deleted']));
    expect(await test.containers()).toEqual([]);
  });

  it('is hastened by a shorter grace period', async () => {
    test.runtime.programs.set('c', { stopDelay: Number.POSITIVE_INFINITY });
    await test.create('p', {});
    await test.pass(2);
    await test.delete('p', 600);
    await test.pass(2);
    await test.delete('p', 3);
    await test.pass(7);
    expect(test.api.phases.at(-1)).toBe('p deleted');
  });

  it('runs the hook first, within the grace period', async () => {
    test.runtime.programs.set('c', { exec: () => ({ after: 4_000 }) });
    await test.create('p', { containers: [{ name: 'c', lifecycle: { preStop: { exec: { command: ['bye'] } } } }] });
    await test.pass(2);
    await test.delete('p', 10);
    await test.pass(3);
    expect(await test.containers()).toEqual(['c running']);
    await test.pass(4);
    expect(test.runtime.faults.calls.find(({ method }) => method === 'stopContainer')?.args).toEqual([
      'container-2',
      6,
    ]);
    expect(test.api.phases.at(-1)).toBe('p deleted');
  });

  it('comes when the pod has vanished from the API', async () => {
    await test.create('p', {});
    await test.pass(2);
    test.api.pods.delete('p');
    test.deliver();
    await test.pass(4);
    expect(await test.containers()).toEqual([]);
  });

  it('is tried again when the runtime is away', async () => {
    await test.create('p', {});
    await test.pass(2);
    test.runtime.faults.unreachable = true;
    await test.delete('p');
    await test.pass(5);
    test.runtime.faults.unreachable = false;
    await test.pass(15);
    expect(test.api.phases.at(-1)).toBe('p deleted');
  });
});

describe('the node', () => {
  it('refuses pods that it has no room for, for good', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await test.create(name, {});
    await test.pass(3);
    expect(test.status('d')).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfpods',
      message: "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    });
    expect(await test.containers()).toHaveLength(3);
  });

  it('ends a lesser pod for a critical one that it has no room for', async () => {
    for (const name of ['a', 'b', 'c']) await test.create(name, {});
    await test.pass(3);
    await test.create('critical', { priority: 2_000_001_000 });
    await test.pass(3);
    expect(test.status('critical').phase).toBe('Running');
    const preempted = ['a', 'b', 'c'].map((name) => test.status(name)).filter(({ reason }) => reason === 'Preempting');
    expect(preempted).toMatchObject([{ phase: 'Failed', message: 'Preempted in order to admit critical pod' }]);
    const target = preempted[0]?.conditions?.find(({ type }) => type === 'DisruptionTarget');
    expect(target).toMatchObject({ status: 'True', reason: 'TerminationByKubelet' });
    expect(test.events).toContain('Preempting: Preempted in order to admit critical pod');
  });

  it('waits for its network', async () => {
    test.runtime.conditionList = [
      { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'no CNI' },
    ];
    await test.create('p', {});
    await test.create('h', { hostNetwork: true });
    await test.pass(2);
    expect(test.events).toContainEqual(expect.stringMatching(/^NetworkNotReady: network is not ready: .*no CNI$/));
    expect([test.status('p').phase, test.status('h').phase]).toEqual(['Pending', 'Running']);
  });
});

describe('an agent that was restarted', () => {
  it('goes on with what runs', async () => {
    test.runtime.programs.set('c', { exitAfter: 60_000 });
    await test.create('p', {});
    await test.pass(2);
    await test.restart();
    await test.pass(5);
    expect(test.runtime.faults.count('createContainer')).toBe(1);
    await test.pass(60);
    expect(test.status('p').containerStatuses?.[0]).toMatchObject({ restartCount: 1, state: { running: {} } });
  });

  it('puts another container in the place of one that it had made and not started', async () => {
    test.runtime.faults.fail('startContainer', 'the agent was killed');
    await test.create('p', {});
    await test.pass(1);
    expect(await test.containers()).toEqual(['c created']);
    await test.restart();
    test.runtime.faults.mend('startContainer');
    await test.pass(15);
    expect(await test.containers()).toEqual(['c running']);
    expect(test.status('p').containerStatuses?.[0]).toMatchObject({ restartCount: 0, state: { running: {} } });
  });

  it('ends what nobody wants any more, and leaves alone what is not its own', async () => {
    await test.create('p', {});
    await test.pass(2);
    const { sandboxConfig, config } = test.runtime.container('c').request;
    const foreign = await test.runtime.runSandbox({ ...sandboxConfig, labels: {} });
    await test.runtime.createContainer({ sandboxId: foreign, config: { ...config, labels: {} }, sandboxConfig });
    test.api.pods.delete('p');
    await test.restart();
    await test.pass(6);
    // Nobody can know before all sources have been seen.
    expect(await test.containers()).toEqual(['c running', 'c created']);
    test.deliverStatic([]);
    await test.pass(6);
    expect(await test.containers()).toEqual(['c created']);
    expect((await test.runtime.listSandboxes()).map(({ id }) => id)).toEqual([foreign]);
    expect(readdirSync(test.folders.pods)).toEqual([]);
  });
});

describe('a static pod', () => {
  const version = (uid: string) => {
    const pod = podOf('s', {});
    return { ...pod, metadata: { ...pod.metadata, uid } };
  };
  const uids = async () => (await test.runtime.listSandboxes({ state: 'ready' })).map(({ metadata }) => metadata.uid);

  it('whose file has changed begins when the one before has ended', async () => {
    test.runtime.programs.set('c', { stopDelay: 5_000 });
    test.deliverStatic([version('u1')]);
    await test.pass(2);
    expect(await uids()).toEqual(['u1']);
    test.deliverStatic([version('u2')]);
    await test.pass(3);
    expect(await uids()).toEqual(['u1']);
    await test.pass(6);
    expect(await uids()).toEqual(['u2']);
  });

  it('whose file was away for a while begins anew', async () => {
    test.deliverStatic([version('u1')]);
    await test.pass(2);
    test.deliverStatic([]);
    test.deliverStatic([version('u1')]);
    await test.pass(6);
    expect(await test.containers()).toContain('c running');
    expect(test.events.filter((event) => event.startsWith('Started'))).toHaveLength(2);
  });
});

describe('probes', () => {
  it('restart a container that does not live, and hold back one that is not ready', async () => {
    let isAlive = true;
    test.runtime.programs.set('c', { exec: ([command]) => ({ exitCode: command === 'live' && !isAlive ? 1 : 0 }) });
    const probe = (command: string) => ({ exec: { command: [command] }, periodSeconds: 1, failureThreshold: 2 });
    await test.create('p', {
      containers: [{ name: 'c', livenessProbe: probe('live'), readinessProbe: probe('ready') }],
    });
    await test.pass(4);
    expect(test.status('p').containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
    isAlive = false;
    await test.pass(3);
    isAlive = true;
    expect(test.events).toContain('Killing: Container c failed liveness probe, will be restarted');
    await test.pass(5);
    expect(test.status('p').containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 1 });
  });
});
