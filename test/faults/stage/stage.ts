import type { Cluster } from '../../../tools/up/index.js';
import { waitUntil } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import type { Strike } from '../adversary/adversary.js';
import type { List } from '../model/records.js';
import type { Random } from '../random.js';
import type { Rule, Violation } from '../validators/violation.js';
import type { Links } from './links.js';

export interface StageSettings {
  readonly cluster: Cluster;
  readonly links: Links;
  /** URL of the database that the servers use; the cluster's own if absent. */
  readonly postgresUrl?: string;
  readonly random: Random;
  readonly log: (line: string) => void;
  readonly over: AbortSignal;
  readonly signal: AbortSignal;
}

/** The interface of a fault to the cluster, and the record of its findings. */
export class Stage {
  readonly cluster: Cluster;
  readonly links: Links;
  readonly postgresUrl: string;
  readonly random: Random;
  /** Aborts when the time of the run is over: no new faults then. */
  readonly over: AbortSignal;
  /** Aborts when the run breaks off: nothing is waited for any more. */
  readonly signal: AbortSignal;
  readonly violations: Violation[] = [];
  /** Lists made by faults, which are judged with all other lists. */
  readonly lists: List[] = [];
  readonly strikes: Strike[] = [];
  readonly measures: Record<string, number> = {};
  readonly log: (line: string) => void;
  readonly #apis = new Map<string, Api>();

  constructor(settings: StageSettings) {
    this.cluster = settings.cluster;
    this.links = settings.links;
    this.postgresUrl = settings.postgresUrl ?? settings.cluster.postgresUrl;
    this.random = settings.random;
    this.over = settings.over;
    this.signal = settings.signal;
    this.log = settings.log;
  }

  /** A plain client of an address; that of the load balancer when absent. */
  api(url: string = this.cluster.url): Api {
    const known = this.#apis.get(url);
    if (known !== undefined) return known;
    const api = new Api({ url, ca: this.cluster.ca, token: this.cluster.token });
    this.#apis.set(url, api);
    return api;
  }

  report(rule: Rule, message: string): void {
    this.log(`${rule}: ${message}`);
    this.violations.push({ rule, message });
  }

  /** Reports a violation unless a condition holds. */
  must(rule: Rule, condition: boolean, message: string): void {
    if (!condition) this.report(rule, message);
  }

  /** Keeps the highest value of a name. */
  measure(name: string, value: number): void {
    const rounded = Math.round(value * 10) / 10;
    this.measures[name] = Math.max(this.measures[name] ?? rounded, rounded);
  }

  /** Waits for something that must come true by itself; measures how long it took, reports when it takes too long. */
  async recovers(what: string, withinMs: number, check: () => boolean | Promise<boolean>): Promise<void> {
    const start = performance.now();
    try {
      await waitUntil(what, withinMs, async () => this.signal.aborted || (await check()));
      this.measure(`ms until ${what}`, performance.now() - start);
    } catch (error) {
      this.report('R.recovery', `not within ${withinMs} ms: ${what} (${String(error)})`);
    }
  }

  close(): void {
    for (const api of this.#apis.values()) api.close();
  }
}
