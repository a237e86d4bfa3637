import type { Member } from '../stage/crowd.js';
import { type Latencies, latencies } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { insist } from './insist.js';

const EVERY_MS = 20;

/** An object that is written repeatedly with the time of the write, and its versions in order. */
export class Pulse {
  readonly versions: string[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly path: string,
  ) {}

  async beat(): Promise<void> {
    const body = { data: { sent: String(performance.now()) } };
    const answer = await insist(() => this.stage.api().patch(this.path, 'merge', body));
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    this.versions.push(answer.json().metadata.resourceVersion);
  }

  /** Writes so often; resolves with what it took to come to each of some watchers, when it has come to all. */
  async during(count: number, members: readonly Member[]): Promise<Latencies> {
    const from = members.map((member) => member.latencies.length);
    for (let left = count; left > 0; left--) {
      await this.beat();
      await rest(EVERY_MS, this.stage.signal);
    }
    const all = () => members.every((member, i) => member.ended || member.latencies.length >= (from[i] ?? 0) + count);
    await this.stage.recovers('every pulse has come to the others', 30_000, all);
    return latencies(members.flatMap((member, i) => member.latencies.slice(from[i])));
  }

  /** Reports a watcher that has not had all of them, each once and in order, since before the first. */
  expectAll(members: readonly Member[]): void {
    for (const { versions: had, ended } of members) {
      if (ended) continue;
      const since = had.filter((version) => BigInt(version) >= BigInt(this.versions[0] ?? 0));
      const missing = this.versions.filter((version) => !had.includes(version)).length;
      this.stage.must('V2.missing', missing === 0, `${missing} of ${this.versions.length} events never came`);
      const ordered = since.every((version, i) => i === 0 || BigInt(version) > BigInt(since[i - 1] ?? 0));
      this.stage.must('V2.order', ordered, 'events out of order or twice');
    }
  }
}
