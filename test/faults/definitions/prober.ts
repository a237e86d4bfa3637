import type { Answer, Api } from '../../support/api.js';
import type { Random } from '../random.js';
import { rest } from '../traffic/context.js';
import { type ChangingKind, VERSIONS, type VersionName } from './changing-kind.js';
import { discoveryText, type Facet, type Names } from './facets.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const REST_MS = 100;

/** An observation of what a server serves of a definition. */
export interface Observation {
  readonly server: string;
  readonly definition: string;
  readonly facet: Facet;
  /** Monotonic ms of the request. */
  readonly start: number;
  readonly end: number;
  readonly seen: string;
}

interface DiscoveredResource extends Names {
  readonly resource: string;
  readonly singularResource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: string;
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly versions: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
  }[];
}

/** Asks one server again and again what it serves, one request after the other. */
export class Prober {
  readonly observations: Observation[] = [];
  /** Answers that are neither what is served nor that it is not. */
  readonly failures: string[] = [];

  constructor(
    private readonly server: string,
    private readonly api: Api,
    private readonly random: Random,
    private readonly kinds: readonly ChangingKind[],
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.discovery();
      for (let i = 0; i < 3; i++) await this.objects(this.random.pick(this.kinds), this.random.pick(VERSIONS));
      await this.columns(this.random.pick(this.kinds), this.random.pick(VERSIONS));
      await rest(REST_MS, signal);
    }
  }

  /** Looks at everything once. */
  async all(): Promise<void> {
    await this.discovery();
    for (const kind of this.kinds) {
      for (const version of VERSIONS) {
        await this.objects(kind, version);
        await this.columns(kind, version);
      }
    }
  }

  async discovery(): Promise<void> {
    const start = performance.now();
    const answer = await this.#ask('discovery', () => this.api.get('/apis', { accept: AGGREGATED }));
    if (answer?.status !== 200) return this.#failed('discovery', answer);
    const { items } = answer.json<Discovered>();
    for (const kind of this.kinds) {
      const group = items.find(({ metadata }) => metadata.name === kind.group);
      for (const version of VERSIONS) {
        const { resources = [] } = group?.versions.find((one) => one.version === version) ?? {};
        const found = resources.find(({ resource }) => resource === kind.plural);
        this.#note(kind, { of: 'discovery', version, scope: kind.scope }, start, found ? textOf(found) : 'absent');
      }
    }
  }

  async objects(kind: ChangingKind, version: VersionName): Promise<void> {
    const { scope, namespace } = kind;
    const start = performance.now();
    const object = { apiVersion: `${kind.group}/${version}`, kind: kind.kind, metadata: { name: 'probe' } };
    const ask = () => this.api.post(`${kind.objects(version, namespace)}?dryRun=All`, object);
    const answer = await this.#ask(kind.name, ask);
    const seen = { 201: () => `number ${answer?.json().spec.number}`, 404: () => 'absent', 405: () => 'terminating' };
    const read = seen[answer?.status as keyof typeof seen];
    if (!read) return this.#failed(`a dry run of ${kind.name}`, answer);
    this.#note(kind, { of: 'objects', version, scope }, start, read());
  }

  async columns(kind: ChangingKind, version: VersionName): Promise<void> {
    const { scope, namespace } = kind;
    const start = performance.now();
    const ask = () => this.api.get(`${kind.objects(version, namespace)}?limit=1`, { accept: TABLE });
    const answer = await this.#ask(kind.name, ask);
    if (answer?.status !== 200 && answer?.status !== 404) return this.#failed(`a table of ${kind.name}`, answer);
    const names = () => answer.json().columnDefinitions.map(({ name }: { name: string }) => name);
    this.#note(kind, { of: 'columns', version, scope }, start, answer.status === 200 ? names().join() : 'absent');
  }

  #note(kind: ChangingKind, facet: Facet, start: number, seen: string): void {
    const { server } = this;
    this.observations.push({ server, definition: kind.name, facet, start, end: performance.now(), seen });
  }

  async #ask(what: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    return ask().catch((error: Error) => {
      this.failures.push(`${what}: ${error.message}`);
      return undefined;
    });
  }

  #failed(what: string, answer: Answer | undefined): void {
    if (answer) this.failures.push(`${what} was answered with ${answer.status} ${answer.text.slice(0, 200)}`);
  }
}

function textOf(found: DiscoveredResource): string {
  const { singularResource: singular, responseKind, scope, verbs, subresources = [] } = found;
  const names = { ...found, singular, kind: responseKind?.kind ?? '' };
  return discoveryText(
    names,
    scope,
    subresources.map(({ subresource }) => subresource),
    verbs.includes('create'),
  );
}
