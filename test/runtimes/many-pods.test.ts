import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processStat, waitUntil } from '../../tools/up/index.js';
import { residentBytesOf } from '../support/process-facts.js';
import { NodeRig, type RuntimeKind } from './node-rig.js';
import { NOTHING } from './remains.js';

/** Pods that a node has at most by default; `PODS` in the environment has another number, and `RUNTIME` another runtime. */
const PODS = Number(process.env.PODS ?? 110);
const KIND = (process.env.RUNTIME ?? 'containerd') as RuntimeKind;
const LONG_MS = 300_000;
const SCRIPT = 'trap "exit 0" TERM; sleep 1000000 & wait $!';
/** Requests for each pod from its binding until it runs: a few statuses and four events, its creation and looks at all. */
const REQUESTS = 20;

describe(`a node on ${KIND} with ${PODS} pods`, () => {
  let rig: NodeRig;

  beforeAll(async () => {
    rig = await NodeRig.open(KIND);
    await rig.agent.start();
  });
  afterAll(() => rig.close());

  test('has them all running, refuses one more, and has nothing left of them', { timeout: 2 * LONG_MS }, async () => {
    await expect.poll(async () => (await rig.ready()).status, { timeout: 60_000 }).toBe('True');
    const names = Array.from({ length: PODS }, (_unused, at) => `p${at}`);
    const [begun, ticks, requests] = [performance.now(), ticksOf(rig.agent.pid), await rig.requests()];
    await Promise.all(
      names.map((name) => rig.create(name, { containers: [rig.container('c', SCRIPT)], volumes: rig.volumes })),
    );
    await rig.allRun(PODS, LONG_MS);
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = (ticksOf(rig.agent.pid) - ticks) / 100;
    const asked = ((await rig.requests()) - requests) / PODS;
    const memory = residentBytesOf(rig.agent.pid) / 2 ** 20;
    if (PODS === 110) {
      await rig.create('more', { containers: [rig.container('c', SCRIPT)], volumes: rig.volumes });
      await expect.poll(async () => (await rig.pod('more'))?.status.reason, { timeout: 30_000 }).toBe('OutOfpods');
      await rig.delete('more');
    }
    const ended = performance.now();
    await Promise.all(names.map((name) => rig.delete(name)));
    await rig.noneLeft(LONG_MS);
    const endSeconds = (performance.now() - ended) / 1_000;
    let left = await rig.remains();
    const isGone = async () => {
      left = await rig.remains();
      return Object.values(left).every((amount) => amount === 0);
    };
    await waitUntil('nothing is left', 60_000, isGone).catch(() => expect(left).toEqual(NOTHING));
    const figures = { seconds, cpu, asked, memory, endSeconds };
    console.log(KIND, PODS, JSON.stringify(figures));
    expect(asked).toBeLessThan(REQUESTS + (seconds * 60) / PODS);
  });
});

const ticksOf = (pid: number): number => processStat(pid)?.ticks ?? 0;
