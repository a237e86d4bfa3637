import type { ResourceRef } from '@orch/client';
import { printOf, readState, type WireObject } from '../model/object-state.js';
import type { List } from '../model/records.js';
import { type Selection, selectorsOf } from '../model/selection.js';
import type { Random } from '../random.js';
import type { Violation } from '../validators/violation.js';
import { isRefusal, kindOf, mayPass, NAMESPACES, refOf, rest, type Server, TIERS, type Traffic } from './context.js';

export interface ListSettings {
  readonly kind: string;
  /** Resource; in the core group if absent. */
  readonly ref?: ResourceRef;
  readonly selection: Selection;
  readonly client: string;
  readonly asked: List['asked'];
}

/** Lists once and records the result. Throws as the client does. */
export async function list(traffic: Traffic, server: Server, settings: ListSettings): Promise<List> {
  const { kind, selection, client, asked, ref = refOf(kind, selection.namespace) } = settings;
  const start = performance.now();
  const known = traffic.known(kind);
  const answer = await server.client.list<WireObject>(ref, {
    ...selectorsOf(selection),
    ...(asked === 'any' && { resourceVersion: '0' }),
    ...(typeof asked === 'object' && {
      resourceVersion: String(asked.notOlderThan),
      resourceVersionMatch: 'NotOlderThan',
    }),
  });
  const recorded: List = {
    kind,
    selection,
    client,
    server: server.name,
    asked,
    start,
    end: performance.now(),
    known,
    version: Number(answer.metadata.resourceVersion),
    items: answer.items.map((item) => ({
      version: Number(item.metadata?.resourceVersion),
      print: printOf(readState(item)),
    })),
  };
  if (asked === 'recent') traffic.learn(kind, recorded.version);
  return recorded;
}

/**
 * A client that lists again and again, each time at another api-server and never wanting anything older than it has; in
 * between it asks for anything, or for what is newest.
 */
export class Lister {
  readonly lists: List[] = [];
  readonly violations: Violation[] = [];
  #seen = 0;

  constructor(
    private readonly id: string,
    private readonly index: number,
    private readonly traffic: Traffic,
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { random, traffic } = this;
    const kind = kindOf(this.index);
    for (let turn = 0; !signal.aborted; turn++) {
      const server = traffic.direct[turn % traffic.direct.length] ?? traffic.balanced;
      const mode = random.weighted({ 'not-older': 6, any: 2, recent: 2 });
      const asked = mode === 'not-older' ? (this.#seen > 0 ? { notOlderThan: this.#seen } : 'recent') : mode;
      const selection: Selection = {
        ...(random.chance(0.4) && { namespace: random.pick(NAMESPACES) }),
        ...(random.chance(0.3) && { tier: { op: 'in', values: [random.pick(TIERS.slice(0, 3))] } }),
      };
      try {
        const answer = await list(traffic, server, { kind, selection, client: this.id, asked });
        this.lists.push(answer);
        this.#seen = Math.max(this.#seen, answer.version);
      } catch (error) {
        if (isRefusal(error)) {
          const message = `${this.id} was refused a list of ${kind} as of ${JSON.stringify(asked)}: ${error}`;
          this.violations.push({ rule: 'V4.list', message });
          this.#seen = 0;
        } else if (!mayPass(error)) throw error;
      }
      await rest(random.between(50, 150), signal);
    }
  }
}
