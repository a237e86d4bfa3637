import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { Random } from '../scheduler/random.js';
import { NodeRig } from './node-rig.js';
import { NOTHING } from './remains.js';

/** `KILL_SEED` and `KILL_ROUNDS` in the environment have another and a longer run. */
const SEED = Number(process.env.KILL_SEED ?? 34);
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 8);
const SOON = { timeout: 90_000 };
const FOREVER = 'trap "exit 0" TERM; while true; do sleep 0.2 & wait $!; done';

describe.each(['processes', 'containerd'] as const)('a node on %s', (kind) => {
  let rig: NodeRig;

  beforeAll(async () => {
    rig = await NodeRig.open(kind, { args: ['--eviction-hard=', '--sync-frequency=5s'] });
    await rig.agent.start();
  });
  afterAll(() => rig.close());

  const containers = (name: string) => [rig.container('c', `echo run >> /journals/${name}; ${FOREVER}`)];

  test(`has each pod once, whenever its agent is killed (seed ${SEED})`, {
    timeout: 120_000 + ROUNDS * 10_000,
  }, async () => {
    const random = new Random(SEED);
    const wanted: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const name = `p${round}`;
      await rig.create(name, { containers: containers(name), volumes: rig.volumes });
      wanted.push(name);
      const doomed = random.chance(0.4) ? wanted.splice(random.between(0, wanted.length - 1), 1) : [];
      for (const each of doomed) await rig.delete(each);
      await pause(random.between(200, 2_700));
      await rig.agent.kill('SIGKILL');
      await rig.agent.start();
    }
    await rig.allRun(wanted.length, SOON.timeout);
    for (const name of wanted) {
      const status = (await rig.pod(name))?.status.containerStatuses[0];
      expect(rig.programs(`/journals/${name};`), name).toBe(1);
      expect(rig.journal(name).length, name).toBeLessThanOrEqual(status.restartCount + 1);
    }
    expect(rig.programs('/journals/')).toBe(wanted.length);
    for (const name of wanted) await rig.delete(name);
    await rig.noneLeft();
    let left = await rig.remains();
    const isGone = async () => {
      left = await rig.remains();
      return Object.values(left).every((amount) => amount === 0);
    };
    await waitUntil('nothing is left', SOON.timeout, isGone).catch(() => expect(left).toEqual(NOTHING));
  });

  if (kind !== 'processes') return;

  test('starts a container again whose supervisor was killed, once', async () => {
    await rig.create('lost', { containers: containers('lost'), volumes: rig.volumes });
    await expect.poll(async () => (await rig.pod('lost'))?.status.phase, SOON).toBe('Running');
    const folder = join(rig.root, 'processes/containers');
    for (const id of readdirSync(folder)) {
      const { supervisor } = JSON.parse(readFileSync(join(folder, id, 'progress.json'), 'utf8'));
      process.kill(supervisor.pid, 'SIGKILL');
    }
    await expect.poll(async () => (await rig.pod('lost'))?.status.containerStatuses[0].restartCount, SOON).toBe(1);
    await expect.poll(() => rig.journal('lost').length, SOON).toBe(2);
    expect(rig.programs('/journals/lost;')).toBe(1);
    const { lastState } = (await rig.pod('lost'))?.status.containerStatuses[0] ?? {};
    expect(lastState.terminated).toMatchObject({ exitCode: 255 });
    await rig.delete('lost');
    await rig.noneLeft();
  });
});
