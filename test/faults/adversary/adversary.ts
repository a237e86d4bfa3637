import type { Cluster, ManagedProcess } from '../../../tools/up/index.js';
import type { Random } from '../random.js';
import { rest } from '../traffic/context.js';

/** What may be killed; each stands for all processes of its kind. */
export const VICTIMS = ['api-server', 'gateway', 'nats', 'postgres'] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Strike {
  readonly victim: string;
  /** Monotonic ms: killed, started again, and serving again. */
  readonly killed: number;
  readonly restarted: number;
  readonly ready: number;
}

/** Kills servers with SIGKILL, one after another, and starts each again after a moment. */
export class Adversary {
  readonly strikes: Strike[] = [];
  /** Resolves when every victim has been killed and serves again. */
  readonly firstRound: Promise<void>;
  #endFirstRound = (): void => {};

  constructor(
    private readonly cluster: Cluster,
    private readonly victims: readonly Victim[],
    private readonly random: Random,
    /** Least and longest time between a recovery and the next strike, ms. */
    private readonly pauses: readonly [number, number] = [500, 3_000],
  ) {
    this.firstRound = new Promise((resolve) => {
      this.#endFirstRound = resolve;
    });
  }

  /** Goes round until the signal aborts; leaves everything running. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.victims.length === 0) return this.#endFirstRound();
    while (!signal.aborted) {
      for (const victim of this.random.shuffled(this.victims)) {
        await rest(this.random.between(...this.pauses), signal);
        if (signal.aborted) return;
        await this.#strike(this.random.pick(processesOf(this.cluster, victim)), signal);
      }
      this.#endFirstRound();
    }
  }

  async #strike(process: ManagedProcess, signal: AbortSignal): Promise<void> {
    const killed = performance.now();
    await process.kill('SIGKILL');
    await rest(this.random.between(0, 1_500), signal);
    const restarted = performance.now();
    await process.start();
    this.strikes.push({ victim: process.name, killed, restarted, ready: performance.now() });
  }
}

function processesOf(cluster: Cluster, victim: Victim): readonly ManagedProcess[] {
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
