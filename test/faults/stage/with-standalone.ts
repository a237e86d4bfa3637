import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import { type Standalone, type StandaloneSettings, startStandalone } from '../../support/standalone.js';
import type { Random } from '../random.js';
import type { Rule, Violation } from '../validators/violation.js';
import { type Mutation, mutant } from './mutant.js';

export interface StandaloneUse extends Pick<StandaloneSettings, 'args' | 'prepare'> {
  /** How the server differs from that of this build. */
  readonly mutations?: readonly Mutation[];
}

/** The interface of a fault to a standalone server, and the record of its findings. */
export class StandaloneStage {
  readonly violations: Violation[] = [];
  readonly measures: Record<string, number> = {};

  constructor(
    readonly server: Standalone,
    readonly api: Api,
    readonly random: Random,
    readonly log: (line: string) => void,
  ) {}

  /** Process id of the postmaster, by its own word. */
  get postmaster(): number {
    return Number(readFileSync(join(this.server.postgresDir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Reports a violation unless a condition holds. */
  must(rule: Rule, condition: boolean, message: string): void {
    if (condition) return;
    this.log(`${rule}: ${message}`);
    this.violations.push({ rule, message });
  }

  /** Waits for something that must come true by itself; keeps the longest time that it took, reports when it takes too long. */
  async recovers(what: string, withinMs: number, check: () => Promise<boolean>): Promise<void> {
    const began = performance.now();
    const came = await waitUntil(what, withinMs, () => check().catch(() => false)).then(
      () => true,
      () => false,
    );
    const name = `ms until ${what}`;
    this.measures[name] = Math.max(this.measures[name] ?? 0, Math.round(performance.now() - began));
    this.must('R.recovery', came, `not within ${withinMs} ms: ${what}`);
  }
}

/** A standalone server for as long as `use` runs. */
export async function withStandalone(
  { mutations = [], ...settings }: StandaloneUse,
  { random, log }: { readonly random: Random; readonly log: (line: string) => void },
  use: (stage: StandaloneStage) => Promise<void>,
): Promise<Pick<StandaloneStage, 'violations' | 'measures'>> {
  const dir = mkdtempSync(join(tmpdir(), 'mutant-'));
  const executable = mutations.length > 0 ? { executable: mutant(dir, mutations) } : {};
  const server = await startStandalone({ ...settings, ...executable });
  const api = new Api(server);
  const stage = new StandaloneStage(server, api, random, log);
  try {
    await use(stage);
  } finally {
    api.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  return stage;
}
