import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tail, waitUntil } from '../../tools/up/index.js';
import type { KillPoint } from './kill-points.worker.js';
import { NodeRig } from './node-rig.js';
import { NOTHING } from './remains.js';

const WORKER = fileURLToPath(new URL('./kill-points.worker.ts', import.meta.url));
/** Steps after which agents are killed; an odd number, so that each of them is once over and once under way. */
const STEPS = 7;
/** Agents that are killed before a state is given up. */
const MOST = 60;
/** Time that an agent which is not killed has to bring about a state, ms. */
const PATIENCE_MS = 30_000;

/** The part of the status of a container that is looked at. */
interface RunningContainer {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
}

const FOREVER = 'trap "exit 0" TERM; while true; do sleep 0.1 & wait $!; done';

describe.each(['processes', 'containerd'] as const)('an agent on %s that is killed', (kind) => {
  let rig: NodeRig;
  const killed: string[] = [];

  beforeAll(async () => {
    rig = await NodeRig.open(kind);
  });
  afterAll(() => rig.close());

  const steps = () => join(rig.dir, 'steps');
  const taken = (): string[] => (existsSync(steps()) ? readFileSync(steps(), 'utf8').trim().split('\n') : []);

  /** Starts an agent that ends at one of its first steps, when it has begun or is done: a container takes two of them. */
  function start(number: number): ChildProcess {
    const { containerd, args, server } = rig;
    const point: KillPoint = {
      ...{
        args,
        kubeconfig: server.kubeconfig,
        steps: steps(),
        at: 1 + (number % STEPS),
        when: number % 2 === 0 ? 'done' : 'begun',
      },
      delayMs: (number * 37) % 150,
      ...(containerd && { socket: containerd.socket }),
    };
    const log = openSync(join(rig.dir, 'agent.log'), 'a');
    return spawn(process.execPath, [WORKER, JSON.stringify(point)], { stdio: ['ignore', log, log] });
  }

  /** Has agents go on from one kill to the next until a state is reached in which none takes a step any more. */
  async function until(isReached: () => Promise<boolean>): Promise<void> {
    for (let number = 0; number < MOST; number++) {
      const agent = start(number);
      const ended = once(agent, 'exit');
      const reached = waitUntil('the state', PATIENCE_MS, isReached).then(
        () => 'reached',
        () => 'late',
      );
      const outcome = await Promise.race([reached, ended.then(() => 'killed')]);
      if (outcome !== 'killed') agent.kill('SIGKILL');
      await ended;
      if (outcome === 'late') throw new Error(`an agent has stopped at ${taken()}:\n${tail(rig.agent.logFile)}`);
      if (outcome === 'reached') return;
      killed.push(taken().at(-1) ?? '');
    }
    throw new Error(`${MOST} agents did not reach the state: ${taken()}`);
  }

  test('after each of its steps has every container once for each of its restarts, and nothing left at the end', async () => {
    const containers = [
      rig.container('stays', `echo run >> /journals/stays; ${FOREVER}`),
      // The first time it fails.
      rig.container('fails', `echo run >> /journals/fails; mkdir /journals/once && exit 1; ${FOREVER}`),
    ];
    const initContainers = [rig.container('first', 'echo run >> /journals/first; exit 0')];
    await rig.create('p', { containers, initContainers, volumes: [...rig.volumes, { name: 'work', emptyDir: {} }] });
    await until(async () => {
      const { containerStatuses = [] } = (await rig.pod('p'))?.status ?? {};
      const isThere = ({ name, ready, restartCount }: RunningContainer) =>
        ready && (name !== 'fails' || restartCount > 0);
      return containerStatuses.length > 0 && containerStatuses.every(isThere);
    });
    const status = (await rig.pod('p'))?.status;
    const counts = Object.fromEntries(
      [...status.containerStatuses, ...status.initContainerStatuses].map(({ name, restartCount }: RunningContainer) => [
        name,
        restartCount,
      ]),
    );
    const runs = Object.fromEntries(Object.keys(counts).map((name) => [name, rig.journal(name).length - 1]));
    // A start that is broken off counts, though nothing ran.
    for (const [name, count] of Object.entries(counts)) expect(runs[name], name).toBeLessThanOrEqual(count as number);
    expect(Math.min(...Object.values(runs))).toBe(0);
    const programs = (name: string) => rig.programs(`/journals/${name};`);
    expect([programs('stays'), programs('fails'), programs('first')]).toEqual([1, 1, 0]);
    await rig.delete('p');
    await until(async () => {
      const left = await rig.remains();
      return (await rig.pods()).length === 0 && Object.values(left).every((amount) => amount === 0);
    });
    expect(await rig.remains()).toEqual(NOTHING);
    expect(new Set(killed).size).toBeGreaterThan(3);
  }, 300_000);
});
