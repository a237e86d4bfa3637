import type { Answer, Api, ApiObject } from '../../support/api.js';
import type { Random } from '../random.js';
import { sql } from '../stage/sql.js';
import { rest } from '../traffic/context.js';
import type { ConsentOutcome, ConsentVersion, ConsentWrite, Policy } from '../validators/consent.js';
import { REFUSAL } from './moody-webhook.js';
import { HOT, MAPS } from './objects.js';

/** Longest pause of a writer between two calls, ms. */
const MAX_PAUSE_MS = 100;
/** Answers that say nothing of what becomes of a write. */
const PASSING = [429, 503, 504];

/** Writers of two objects that webhooks are asked about: each patches its object again and again, at any server. */
export class HotWriters {
  readonly writes: ConsentWrite[] = [];
  readonly #versions = new Map<number, ConsentVersion>();
  readonly #over = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly apis: readonly Api[],
    private readonly postgresUrl: string,
  ) {}

  /** @param count of writers, half of them for each object */
  begin(count: number, random: Random): void {
    const all = Array.from({ length: count }, (_, at) => this.#write(at, random.fork(`writer-${at}`)));
    this.#running = Promise.all(all);
  }

  /** How many writes have come to this so far. */
  count(policy: Policy, at: ConsentOutcome['at']): number {
    return this.writes.filter(({ policy: of, outcome }) => of === policy && outcome.at === at).length;
  }

  /** Whether something that fails closed was written that no webhook has agreed to: the rest need not be waited for. */
  areUnasked(agreed: ReadonlySet<string>): boolean {
    return this.writes.some(
      ({ policy, stamp, outcome }) => policy === 'strict' && outcome.at === 'committed' && !agreed.has(stamp),
    );
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  /** Returns the versions of the objects so far. It is read so often that no history has been dropped. */
  async versions(): Promise<ConsentVersion[]> {
    const newest = Math.max(0, ...this.#versions.keys());
    for (const { version, body } of await sql<{ version: string; body: Buffer }>(this.postgresUrl, CHANGES, [newest])) {
      const { metadata, data } = JSON.parse(body.toString()) as ApiObject;
      const { stamp = '', seen } = data ?? {};
      this.#versions.set(Number(version), { policy: metadata.name as Policy, version: Number(version), stamp, seen });
    }
    return [...this.#versions.values()];
  }

  async #write(at: number, random: Random): Promise<void> {
    const policy = HOT[at % HOT.length] as Policy;
    for (let serial = 0; !this.#over.signal.aborted; serial++) {
      const stamp = `w${at}.${serial}`;
      // What a webhook has made of the write before is not what it makes of this one.
      const data = { stamp, seen: null };
      const answer = await random
        .pick(this.apis)
        .patch(`${MAPS}/${policy}`, 'merge', { data })
        .catch(() => undefined);
      this.writes.push({ policy, stamp, outcome: outcomeOf(answer) });
      await rest(random.next() * MAX_PAUSE_MS, this.#over.signal);
    }
  }
}

const CHANGES = `
SELECT version, body FROM change
 WHERE type = (SELECT id FROM resource_type WHERE api_group = '' AND resource = 'configmaps')
   AND namespace = 'default' AND name IN ('strict', 'lenient') AND action = 3 AND version > $1 ORDER BY version`;

function outcomeOf(answer: Answer | undefined): ConsentOutcome {
  if (!answer || PASSING.includes(answer.status)) return { at: 'unknown' };
  const { status, text: message } = answer;
  if (status === 200) return { at: 'committed', version: Number(answer.json().metadata.resourceVersion) };
  if (status === 409) return { at: 'conflict' };
  if (status === 403 && message.includes(REFUSAL)) return { at: 'denied', message };
  if (status === 500 && message.includes('failed calling webhook')) return { at: 'unasked', message };
  return { at: 'other', message };
}
