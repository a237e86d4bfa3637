import type { Victim } from './adversary/adversary.js';
import { BOOKMARK_BEFORE_FLUSH, NO_HEAL, OWNERS_LOST, PUBLISH_BEFORE_COMMIT } from './defects.js';
import type { Mutation } from './stage/mutant.js';
import { redefine, replaced } from './stage/redefine.js';
import type { Rule } from './validators/violation.js';

/** A system that is broken on purpose, and what must notice. */
export interface Variant {
  readonly name: string;
  /** Description of the defect. */
  readonly defect: string;
  /** At least one of these must be reported. */
  readonly caughtBy: readonly Rule[];
  readonly mutations?: readonly Mutation[];
  readonly retention?: string;
  readonly informers?: number;
  /** Breaks the database, once the cluster runs. */
  readonly sabotage?: (url: string) => Promise<void>;
  /** Only what makes the defect show: every other fault would only blur which check has caught it. */
  readonly victims: readonly Victim[];
}

export const VARIANTS: readonly Variant[] = [
  {
    name: 'no-heal',
    defect: 'the feed neither polls heads nor reads gaps from the database',
    caughtBy: ['V2.missing'],
    mutations: NO_HEAL,
    victims: ['nats'],
  },
  {
    name: 'bookmark-before-flush',
    defect: 'a bookmark is sent before the events gathered for its watcher',
    caughtBy: ['V2.bookmark'],
    mutations: BOOKMARK_BEFORE_FLUSH,
    victims: [],
  },
  {
    name: 'publish-before-commit',
    defect: 'changes are announced before their transaction commits',
    caughtBy: ['V2.phantom', 'V2.resumable'],
    mutations: PUBLISH_BEFORE_COMMIT,
    victims: ['postgres'],
  },
  {
    name: 'nextval-before-lock',
    defect: 'versions are drawn before the lane is locked, so that they commit in another order',
    caughtBy: ['V2.history', 'V2.late-commit'],
    sabotage: (url) => redefine(url, 'commit_charged', drawFirst),
    victims: [],
  },
  {
    name: 'compaction-forgets-floor',
    defect: 'partitions of the history are dropped without raising the floors',
    caughtBy: ['V2.missing'],
    retention: '3s',
    sabotage: (url) => redefine(url, 'drop_history_partition', forgetFloor),
    victims: ['gateway'],
  },
  {
    name: 'generation-stands',
    defect: 'the generation of an object that is stored never rises',
    caughtBy: ['V7.generation'],
    sabotage: (url) => redefine(url, 'commit_charged', keepGeneration),
    victims: [],
  },
  {
    name: 'owners-lost',
    defect: 'announcements bring objects without those who own their fields',
    caughtBy: ['V2.content'],
    mutations: OWNERS_LOST,
    victims: [],
  },
  {
    name: 'informer-left-behind',
    defect: 'as no-heal, judged by informers of client-go',
    caughtBy: ['V5.store'],
    mutations: NO_HEAL,
    informers: 2,
    victims: ['nats'],
  },
  {
    name: 'stale-read',
    defect: 'what a server has in memory is taken for the newest without asking the database; NATS is killed',
    caughtBy: ['V1.linearizable'],
    mutations: [
      {
        module: 'libs/watchcache/dist/type-cache.js',
        part: 'return await following.confirm();',
        by: 'return this.version;',
      },
    ],
    victims: ['nats'],
  },
  {
    name: 'wrong-cursor',
    defect: 'a watch that is resumed within the ring begins one event too late',
    caughtBy: ['V2.missing'],
    mutations: [
      {
        module: 'libs/watchcache/dist/fan-out/fan-out.js',
        part: 'this.#behindAt(this.state.ring.cursorAfter(after))',
        by: 'this.#behindAt(Math.min(this.state.ring.cursorAfter(after) + 1, this.state.ring.next))',
      },
    ],
    victims: [],
  },
  {
    name: 'initial-state-behind',
    defect: 'the initial state of a watch lacks the last change before the version that it claims',
    caughtBy: ['V2.initial'],
    mutations: [
      {
        module: 'libs/watchcache/dist/type-cache.js',
        part: 'collect: (interest) => latest().state.list(interest).pages.flat(),',
        by: `collect: (interest) => latest().state.list(interest).pages.flat()${withoutLast('latest()')},`,
      },
    ],
    victims: [],
  },
  {
    name: 'list-behind',
    defect: 'a list lacks the last change before the version that it claims',
    caughtBy: ['V4.list'],
    mutations: [
      {
        module: 'libs/watchcache/dist/type-cache.js',
        part: 'return this.#now().state.list(request);',
        by: `const list = this.#now().state.list(request);
        return { ...list, pages: list.pages.map((page) => page${withoutLast('this.#now()')}) };`,
      },
    ],
    victims: [],
  },
];

/** Puts the state before in the place of the object that was changed last. */
function withoutLast(state: string): string {
  const last = `${state}.ring.at(${state}.ring.next - 1)`;
  return `.map((entry) => (entry === ${last}?.entry ? (${last}.prior ?? entry) : entry))`;
}

/** Draws a version for every item on entry, then dawdles, so that another batch gets past. */
function drawFirst(definition: string): string {
  let text = definition;
  text = replaced(text, 'DECLARE', 'DECLARE drawn bigint[];');
  text = replaced(
    text,
    'BEGIN',
    `BEGIN drawn := ARRAY(SELECT nextval('resource_version') FROM unnest(p_lane)); PERFORM pg_sleep(random() * 0.02);`,
  );
  const [head = '', ...uses] = text.split(`BEGIN drawn := ARRAY(SELECT nextval('resource_version')`);
  const body = uses.join('').replaceAll(`nextval('resource_version')`, 'drawn[v_item]');
  return `${head}BEGIN drawn := ARRAY(SELECT nextval('resource_version')${body}`;
}

/** Every number above one becomes one on its way into the table. */
function keepGeneration(definition: string): string {
  const text = `convert_to(regexp_replace(convert_from(v_body, 'UTF8'), '"generation":[0-9]+', '"generation":1'), 'UTF8')`;
  return replaced(definition, 'IF v_set <> 1 THEN', `v_body := ${text};\n    IF v_set <> 1 THEN`);
}

function forgetFloor(definition: string): string {
  return replaced(definition, 'd.version > f.floor', 'd.version > f.floor AND false');
}
