import type { Answer, Api } from '../../support/api.js';
import type { Random } from '../random.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { type ChangingKind, DEFINITIONS, type Design } from './changing-kind.js';

/** Milliseconds between two changes. */
const TICK_MS = 100;
/** Share of the steps on an existing definition that delete it. */
const DELETIONS = 0.2;
const SETTLED_MS = 60_000;

/** The part of a definition that says whether it is served. */
export interface Conditioned extends Record<string, unknown> {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Makes, changes and deletes definitions, ten a second, each at another server than the last. */
export class Changer {
  /** How many changes of definitions were accepted. */
  changes = 0;
  readonly #busy = new Set<ChangingKind>();
  readonly #there = new Set<ChangingKind>();
  #turn = 0;

  constructor(
    private readonly stage: Stage,
    private readonly random: Random,
    private readonly kinds: readonly ChangingKind[],
    /** Hears of each definition that was made. */
    private readonly onMade: (kind: ChangingKind, design: Design) => void,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>();
    let next = performance.now();
    while (!signal.aborted) {
      const free = this.kinds.filter((kind) => !kind.isSteady && !this.#busy.has(kind));
      if (free.length > 0) {
        const work = this.#alone(this.random.pick(free), (kind) => this.#change(kind));
        underWay.add(work);
        void work.finally(() => underWay.delete(work));
      }
      next += TICK_MS;
      await rest(Math.max(0, next - performance.now()), signal);
    }
    await Promise.all(underWay);
  }

  /** Has all kinds served in all their versions, with names that nobody contests. */
  async settle(): Promise<void> {
    await Promise.all(this.kinds.map((kind) => this.#alone(kind, (one) => this.#settleOne(one))));
  }

  async #alone(kind: ChangingKind, work: (kind: ChangingKind) => Promise<void>): Promise<void> {
    this.#busy.add(kind);
    await work(kind).catch((error) => this.stage.report('R.answer', `${kind.name} could not be changed: ${error}`));
    this.#busy.delete(kind);
  }

  #api(): Api {
    const { apiServerUrls, gatewayUrls } = this.stage.cluster;
    const urls = [...apiServerUrls, ...gatewayUrls];
    return this.stage.api(urls[this.#turn++ % urls.length]);
  }

  async #change(kind: ChangingKind): Promise<void> {
    if (!this.#there.has(kind)) return this.#make(kind, kind.first(this.random));
    if (this.random.chance(DELETIONS)) return this.#delete(kind);
    await this.#patch(kind, kind.next(this.random));
  }

  /** Creates a definition. One that is still being deleted keeps its name, so creation is tried again later. */
  async #make(kind: ChangingKind, design: Design): Promise<void> {
    const answer = await this.#api().post(DEFINITIONS, kind.definition(design));
    if (answer.status === 409) return;
    this.#expect(answer, 201, `making ${kind.name}`);
    this.#there.add(kind);
    kind.design = design;
    this.onMade(kind, design);
  }

  async #patch(kind: ChangingKind, design: Design): Promise<void> {
    const answer = await this.#api().patch(kind.path, 'merge', { spec: kind.changeable(design) });
    this.#expect(answer, 200, `changing ${kind.name}`);
    kind.design = design;
  }

  async #delete(kind: ChangingKind): Promise<void> {
    this.#expect(await this.#api().delete(kind.path), 200, `deleting ${kind.name}`);
    this.#there.delete(kind);
  }

  async #settleOne(kind: ChangingKind): Promise<void> {
    const last = kind.first(this.random);
    await this.stage.recovers('all definitions can be made', SETTLED_MS, async () => {
      if (!this.#there.has(kind)) await this.#make(kind, last);
      return this.#there.has(kind);
    });
    if (!kind.isSteady) await this.#patch(kind, { ...last, scope: kind.scope });
    await this.stage.recovers('all definitions are established', SETTLED_MS, async () => {
      return isEstablished((await this.stage.api().get(kind.path)).json<Conditioned>());
    });
  }

  #expect({ status, text }: Answer, expected: number, what: string): void {
    if (status === expected) this.changes++;
    this.stage.must('R.answer', status === expected, `${what} was answered with ${status} ${text}`);
  }
}

export const isEstablished = (definition: Conditioned | undefined): boolean =>
  (definition?.status?.conditions ?? []).some((one) => one.type === 'Established' && one.status === 'True');
