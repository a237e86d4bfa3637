import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeRig } from './node-rig.js';

/** Limit for what takes seconds on a machine that has nothing else to do. */
const SOON = { timeout: 60_000 };
/** Time for which the API is away at least, ms: by default until what has to happen meanwhile has happened. */
const AWAY_MS = Number(process.env.AWAY_SECONDS ?? 0) * 1_000;

const FOREVER = 'trap "exit 0" TERM; while true; do sleep 0.2 & wait $!; done';
const QUICK = [
  '--eviction-hard=',
  '--node-status-update-frequency=1s',
  '--sync-frequency=5s',
  '--runtime-request-timeout=2s',
];

const readyOf = (rig: NodeRig) => async () => (await rig.ready()).status;

describe('the containerd of a node', () => {
  let rig: NodeRig;
  const stays = (name: string) => [rig.container('c', `echo run >> /journals/${name}; ${FOREVER}`)];
  const ids = async () => (await rig.pods()).map(({ status }) => status.containerStatuses?.[0]?.containerID);

  beforeAll(async () => {
    rig = await NodeRig.open('containerd', { args: QUICK });
    await rig.agent.start();
    for (const name of ['one', 'two']) await rig.create(name, { containers: stays(name), volumes: rig.volumes });
    await rig.allRun(2);
  });
  afterAll(() => rig.close());

  async function expectUnchanged(before: unknown[]): Promise<void> {
    await expect.poll(readyOf(rig), SOON).toBe('True');
    await rig.allRun(2);
    expect(await ids()).toEqual(before);
    for (const name of ['one', 'two']) {
      expect(rig.journal(name)).toEqual(['run']);
      expect(rig.programs(`/journals/${name};`)).toBe(1);
    }
  }

  test('that stands still makes the node not ready, and its containers go on', async () => {
    const before = await ids();
    const daemon = rig.containerd?.daemon ?? 0;
    process.kill(daemon, 'SIGSTOP');
    await expect
      .poll(readyOf(rig), SOON)
      .toBe('False')
      .finally(() => process.kill(daemon, 'SIGCONT'));
    await expectUnchanged(before);
  });

  test('that is killed makes the node not ready, says why, and has everything again when it is back', async () => {
    const before = await ids();
    await rig.containerd?.hold();
    try {
      await expect.poll(readyOf(rig), SOON).toBe('False');
      expect((await rig.ready()).message).toMatch(/runtime/i);
      // What is asked for meanwhile happens afterwards, once.
      await rig.create('three', { containers: stays('three'), volumes: rig.volumes });
      await rig.delete('two');
      expect(rig.programs('/journals/')).toBe(2);
    } finally {
      rig.containerd?.release();
    }
    await expect.poll(() => rig.pod('two'), SOON).toBeUndefined();
    await rig.allRun(2);
    await expect.poll(readyOf(rig), SOON).toBe('True');
    expect(await ids()).toContain(before[0]);
    expect(['one', 'two', 'three'].map((name) => rig.programs(`/journals/${name};`))).toEqual([1, 0, 1]);
    expect(['one', 'two', 'three'].map((name) => rig.journal(name).length)).toEqual([1, 1, 1]);
  });
});

describe.each(['processes', 'containerd'] as const)('while the API is away, a node on %s', (kind) => {
  let rig: NodeRig;

  beforeAll(async () => {
    rig = await NodeRig.open(kind, { args: QUICK, manifests: true });
    await rig.agent.start();
  });
  afterAll(() => rig.close());

  test(
    'goes on with its pods and static pods, and reports all of it afterwards without a storm',
    async () => {
      const crashes = 'echo run >> /journals/crashes; sleep 1; exit 3';
      const stays = `echo run >> /journals/stays; ${FOREVER}`;
      await rig.create('crashes', { containers: [rig.container('c', crashes)], volumes: rig.volumes });
      await rig.create('stays', { containers: [rig.container('c', stays)], volumes: rig.volumes });
      await expect.poll(() => rig.journal('stays').length, SOON).toBe(1);
      await expect.poll(() => rig.journal('crashes').length, SOON).toBeGreaterThan(0);
      await expect.poll(readyOf(rig), SOON).toBe('True');
      await rig.server.process.kill('SIGKILL');
      const since = performance.now();
      const ran = rig.journal('crashes').length;
      const containers = [rig.container('c', `echo run >> /journals/static; ${FOREVER}`)];
      const spec = { terminationGracePeriodSeconds: 2, containers, volumes: rig.volumes };
      const metadata = { name: rig.nameOf('static') };
      const file = join(rig.manifests, 'static.json');
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
      await expect.poll(() => rig.journal('static').length, SOON).toBe(1);
      await expect.poll(() => rig.journal('crashes').length, SOON).toBeGreaterThan(ran);
      await pause(Math.max(0, AWAY_MS - (performance.now() - since)));
      await rig.server.process.start();
      await expect.poll(readyOf(rig), SOON).toBe('True');
      await expect.poll(async () => (await rig.pod('static-n1'))?.status.phase, SOON).toBe('Running');
      const restarts = async () => (await rig.pod('crashes'))?.status.containerStatuses[0].restartCount;
      await expect.poll(async () => (await restarts()) >= ran, SOON).toBe(true);
      expect(rig.journal('stays')).toEqual(['run']);
      expect(rig.programs('/journals/static;')).toBe(1);
      // Ten seconds have the back-off of all that has failed meanwhile.
      const before = await rig.requests();
      await pause(10_000);
      const asked = (await rig.requests()) - before;
      if (process.env.AWAY_SECONDS) console.log(kind, 'requests in 10 s after', AWAY_MS / 1_000, 's:', asked);
      expect(asked).toBeLessThan(150);
      rmSync(file);
      await expect.poll(() => rig.programs('/journals/static;'), SOON).toBe(0);
    },
    180_000 + AWAY_MS,
  );
});
