import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { heapOf, INSPECTED } from '../support/inspected.js';
import { descriptorsOf } from '../support/process-facts.js';
import { NodeRig } from './node-rig.js';
import { NOTHING } from './remains.js';

/** Lives of pods; `POD_LIVES` in the environment has a longer run, as `make pod-lives`. */
const LIVES = Number(process.env.POD_LIVES ?? 40);
/** Pods at a time. */
const AT_ONCE = 20;
/** Lives before the agent is measured first: the engine's code and bounded caches grow over hundreds of them. */
const WARM = LIVES / 2;
/** Bytes of the heap by which the agent may grow whatever it has done: caches fill, and measurements differ. */
const GROWTH = 2 << 20;
/** Bytes of the heap that a life may leave, over many; its objects, statuses and records have some 30 KiB. */
const LEFT_BY_EACH = 1 << 10;

const SCRIPT = 'trap "exit 0" TERM; echo run >> /journals/runs; while true; do sleep 0.2 & wait $!; done';

describe.each(['processes', 'containerd'] as const)('a node on %s', (kind) => {
  let rig: NodeRig;
  let lives = 0;

  beforeAll(async () => {
    rig = await NodeRig.open(kind, { env: INSPECTED });
    await rig.agent.start();
  });
  afterAll(() => rig.close());

  /** Has pods run and end: with init containers, volumes, a probe, and a port of the node where there is one to be had. */
  async function live(count: number): Promise<void> {
    const names = Array.from({ length: count }, () => `p${lives++}`);
    for (const [at, name] of names.entries()) {
      const ports = kind === 'containerd' ? [{ containerPort: 80, hostPort: 20_000 + at }] : [];
      const readinessProbe = { exec: { command: ['test', '-e', '/journals/runs'] }, periodSeconds: 1 };
      const containers = [rig.container('a', SCRIPT, { ports, readinessProbe })];
      const initContainers = [rig.container('i', 'true')];
      const volumes = [...rig.volumes, { name: 'work', emptyDir: {} }];
      await rig.create(name, { containers, initContainers, volumes });
    }
    await rig.allRun(count);
    for (const name of names) await rig.delete(name);
    await rig.noneLeft();
    let left = await rig.remains();
    const isGone = async () => {
      left = await rig.remains();
      return Object.values(left).every((amount) => amount === 0);
    };
    await waitUntil('nothing is left of the pods', 60_000, isGone).catch(() => expect(left).toEqual(NOTHING));
  }

  const facts = async () => ({ heap: await heapOf(rig.agent), descriptors: descriptorsOf(rig.agent.pid) });

  test(
    `has nothing left of ${LIVES} pods that have ended, and its agent has not grown`,
    async () => {
      for (let done = 0; done < WARM; done += AT_ONCE) await live(AT_ONCE);
      const before = await facts();
      for (let done = WARM; done < LIVES; done += AT_ONCE) await live(Math.min(AT_ONCE, LIVES - done));
      const after = await facts();
      if (process.env.POD_LIVES) console.log(kind, LIVES, JSON.stringify({ before, after }));
      // Connections that nobody uses any more are closed after a while.
      const grown = () => descriptorsOf(rig.agent.pid) - before.descriptors;
      await expect.poll(grown, { timeout: 60_000 }).toBeLessThanOrEqual(3);
      expect(after.heap - before.heap).toBeLessThan(GROWTH + (LIVES - WARM) * LEFT_BY_EACH);
      expect(rig.journal('runs')).toHaveLength(LIVES);
    },
    60_000 + LIVES * 5_000,
  );
});
