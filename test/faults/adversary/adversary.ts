import type { Cluster, ManagedProcess } from '../../../tools/up/index.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';

/** Kinds of processes to kill; each stands for all processes of its kind. */
export const VICTIMS = ['api-server', 'gateway', 'nats', 'postgres'] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Strike {
  readonly victim: string;
  /** Monotonic ms: killed, started again, and serving again. */
  readonly killed: number;
  readonly restarted: number;
  readonly ready: number;
}

/**
 * Kills servers with SIGKILL, one after another, and starts each again after a moment, until the time is over and
 * everyone has had as many turns as are wanted at least. Leaves everything running.
 * @param pauses least and longest time between a recovery and the next strike, ms
 */
export async function killInTurns(
  stage: Stage,
  victims: readonly Victim[],
  pauses: readonly [number, number] = [500, 3_000],
  turns = 1,
): Promise<void> {
  if (victims.length === 0) return;
  for (let round = 0; round < turns || !stage.over.aborted; round++) {
    for (const victim of stage.random.shuffled(victims)) {
      const signal = round < turns ? stage.signal : stage.over;
      await rest(stage.random.between(...pauses), signal);
      if (signal.aborted) return;
      await strike(stage, stage.random.pick(processesOf(stage.cluster, victim)), stage.random.between(0, 1_500));
    }
  }
}

/** Kills one server and starts it again so many ms later. */
export async function strike(stage: Stage, process: ManagedProcess, awayMs: number): Promise<void> {
  const killed = performance.now();
  await process.kill('SIGKILL');
  await rest(awayMs, stage.signal);
  const restarted = performance.now();
  await process.start();
  stage.strikes.push({ victim: process.name, killed, restarted, ready: performance.now() });
}

export function processesOf(cluster: Cluster, victim: Victim): readonly ManagedProcess[] {
  switch (victim) {
    case 'api-server':
      return cluster.apiServers;
    case 'gateway':
      return cluster.gateways;
    case 'nats':
      return [cluster.nats];
    case 'postgres':
      return [cluster.postgres];
  }
}
