import type { Clock, Logger } from '@orch/runtime';
import { Periodic } from '../periodic.js';
import { type IptablesRule, utilityRules } from './iptables-rules.js';
import { type RunProgram, runProgram } from './programs.js';

/** Settings of {@link IptablesChains}. */
interface IptablesChainsSettings {
  /** Bit of the mark of packets that are dropped. */
  readonly dropBit: number;
  /** Bit of the mark of packets whose source becomes the node. */
  readonly masqueradeBit: number;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs what cannot be made. */
  readonly logger: Logger;
  /** Runs programs; other ones for tests. */
  readonly run?: RunProgram;
}

const EVERY_MS = 60_000;
const PROGRAMS = ['iptables', 'ip6tables'] as const;

/** Makes the chains of iptables that other programs of the cluster use, and makes them again when somebody flushes them. */
export class IptablesChains {
  readonly #periodic: Periodic;
  readonly #run: RunProgram;
  /** Programs that failed the last time: that was told. */
  readonly #failed = new Set<string>();

  constructor(private readonly settings: IptablesChainsSettings) {
    const { clock, logger, run = runProgram } = settings;
    this.#run = run;
    const work = () => this.ensure();
    this.#periodic = new Periodic({ name: 'the check of iptables', everyMs: EVERY_MS, work, clock, logger });
  }

  /** Begins to make them and to look after them. */
  start(): void {
    this.#periodic.start();
  }

  /** Ends that; the chains stay. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** Makes what is missing, for each family of addresses. A failure is told once, and tried again the next time. */
  async ensure(): Promise<void> {
    for (const program of PROGRAMS) {
      try {
        await this.#ensureFamily(program);
        this.#failed.delete(program);
      } catch (error) {
        if (this.#failed.has(program)) continue;
        this.#failed.add(program);
        this.settings.logger.warn('chains of iptables cannot be made; services may not work on this node', {
          ...{ program, err: String(error) },
        });
      }
    }
  }

  async #ensureFamily(program: string): Promise<void> {
    const { dropBit, masqueradeBit } = this.settings;
    const { chains, rules } = utilityRules(program === 'ip6tables', dropBit, masqueradeBit);
    for (const [table, chain] of chains)
      if (!(await this.#works(program, table, ['-S', chain, '1']))) await this.#do(program, table, ['-N', chain]);
    for (const rule of rules) await this.#ensureRule(program, rule);
  }

  async #ensureRule(program: string, { table, chain, isFirst, args }: IptablesRule): Promise<void> {
    if (await this.#works(program, table, ['-C', chain, ...args])) return;
    await this.#do(program, table, [isFirst ? '-I' : '-A', chain, ...args]);
  }

  #works(program: string, table: string, args: readonly string[]): Promise<boolean> {
    return this.#do(program, table, args).then(
      () => true,
      () => false,
    );
  }

  async #do(program: string, table: string, args: readonly string[]): Promise<void> {
    await this.#run(program, ['-w', '5', '-t', table, ...args]);
  }
}
