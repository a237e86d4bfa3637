import type { ControllerGroup } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import type { KindSettings } from '@orch/kinds';
import type { JsonObject, Names } from '@orch/machinery';
import {
  type ConversionCalls,
  customEndpoints,
  type Described,
  describe,
  type Endpoint,
  type ServedResources,
  type Serving,
} from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import { Throttle } from '@orch/runtime/work';
import { type ResourceDescription, SchemaPool, type Scheme } from '@orch/schema';
import type { CustomResourceDefinition } from '@orch/schema/types/apiextensions/v1';
import type { ServingStore, TypeId } from '@orch/storage';
import type { WatchCache } from '@orch/watchcache';
import { emptyCollection, type ObjectRemover, rewriteCollection, type WritePipeline } from '@orch/writing';
import { CustomKinds } from './custom-kinds.js';
import type { Definition } from './definition.js';
import { migrationCounter } from './migration-counter.js';
import type { CustomKind, DefinitionChange, ServedDefinition } from './served-definitions.js';

/** The parts of the API that custom kinds are added to. */
interface CustomResourcesApi {
  readonly cache: Pick<WatchCache, 'unload'>;
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly pipeline: WritePipeline;
  readonly remover: ObjectRemover;
  readonly scheme: Scheme;
  readonly served: ServedResources;
}

interface CustomResourcesSettings {
  readonly api: CustomResourcesApi;
  /** Deadline of requests, milliseconds. */
  readonly requestTimeoutMs: number;
  readonly store: ServingStore;
  readonly feed: OrderedFeed;
  /** Settings of the kinds in this installation. */
  readonly kinds: KindSettings;
  /** Most objects that are rewritten per second after a change of the storage version. */
  readonly migrationRate: number;
  readonly metrics: Metrics;
  /** Calls of webhooks that convert objects. */
  readonly conversions: ConversionCalls;
  readonly logger: Logger;
}

const DEFINITIONS = 'customresourcedefinitions';
/**
 * Kinds that are made, beside as many as are served, before the pool of schemas is renewed to free those of removed
 * kinds.
 */
const MADE_AT_LEAST = 1_000;

/** Serves the kinds that definitions bring beside the declared ones, where definitions are served at all. */
export class CustomResources {
  readonly #kinds: CustomKinds<Endpoint> | undefined;
  #pool = new SchemaPool();
  #made = 0;
  #live = 0;
  readonly #described = new Map<TypeId, Described>();
  /** Authorities of webhooks that convert, in base64, by the name of the definition. */
  readonly #bundles = new Map<string, string>();
  /** Selectable fields of each type of which a version is served, to notice when they change. */
  readonly #selectable = new Map<TypeId, string>();

  constructor(private readonly settings: CustomResourcesSettings) {
    const { api, store, feed, logger } = settings;
    const group = api.names.group('apiextensions.orch.io');
    const definitions = api.served.current.types.find(
      ({ definition }) => definition.group === group && definition.resource === DEFINITIONS,
    );
    if (!definitions) return;
    this.#kinds = new CustomKinds({
      store,
      feed,
      definitions,
      make: (definition, type) => this.#make(definition, type),
      publish: (served) => this.#publish(served),
      isBuiltIn: (ofGroup, resource) =>
        api.scheme.resources.some((each) => each.group === ofGroup && each.resource === resource),
      onError: (error) => logger.error('custom kinds', error),
    });
  }

  /** Controllers of definitions and their objects; undefined where none are served. */
  controllers(): ControllerGroup | undefined {
    const { api, store, requestTimeoutMs, migrationRate, metrics } = this.settings;
    const { names, pipeline, now } = api;
    const empty = (kind: CustomKind<Endpoint>, stopped: () => boolean) => this.#empty(kind, stopped);
    const pace = new Throttle(migrationRate);
    const tools = { store, pipeline, turn: () => pace.turn() };
    return this.#kinds?.controllers({
      ...{ names, pipeline, now, empty },
      rewrite: ({ storage }, stopped, onDone) => rewriteCollection(tools, storage, stopped, onDone),
      // A request that outlasts its time may still be writing.
      settlingMs: 2 * requestTimeoutMs,
      onRewriting: migrationCounter(metrics),
    });
  }

  /** Resolves when all that is defined is served: only then requests may be answered. @throws StoreUnavailableError */
  async start(): Promise<void> {
    await this.#kinds?.start();
  }

  /** Whether some that are defined are not served, as their definitions cannot be read. */
  get isPartial(): boolean {
    return this.#kinds?.isPartial ?? false;
  }

  /** Authorities of the webhooks that convert objects. */
  get trusted(): { certificate: string; file: string; pem: string }[] {
    return [...this.#bundles].map(([name, bundle]) => ({
      ...{ certificate: 'ca-bundle', file: `${DEFINITIONS}/${name}` },
      pem: Buffer.from(bundle, 'base64').toString(),
    }));
  }

  /** Resolves when everything is served that was defined before the call. @throws StoreUnavailableError */
  async catchUp(): Promise<void> {
    await this.#kinds?.catchUp();
  }

  /** To be called when no more requests are answered. */
  async stop(): Promise<void> {
    await this.#kinds?.stop();
  }

  #make(definition: Definition, type: TypeId): CustomKind<Endpoint> {
    const { api, kinds } = this.settings;
    // A pool never shrinks: kinds made from the previous one keep using it.
    if (++this.#made > MADE_AT_LEAST + this.#live) {
      this.#pool = new SchemaPool();
      this.#made = 0;
    }
    const { name, uid } = definition;
    const beginCreation = () => (this.#kinds as CustomKinds<Endpoint>).beginCreation({ name, uid });
    const settings = { ...kinds, pool: this.#pool };
    const described = this.#described.get(type) ?? { describe };
    this.#described.set(type, described);
    const { scheme } = api;
    const { conversions } = this.settings;
    const parts = { scheme, settings, type, beginCreation, conversions, described };
    const read = definition.read() as CustomResourceDefinition;
    const bundle = read.spec?.conversion?.webhook?.clientConfig?.caBundle;
    if (bundle) this.#bundles.set(name, bundle);
    else this.#bundles.delete(name);
    return customEndpoints(read as JsonObject, parts);
  }

  #publish(changes: readonly DefinitionChange<Endpoint>[]): void {
    const { served } = this.settings.api;
    const ended = changes.flatMap(({ before }) => before?.endpoints ?? []);
    const begun = changes.flatMap(({ after }) => (after ? servingsOf(after) : []));
    for (const { before, after } of changes) this.#live += (after ? 1 : 0) - (before ? 1 : 0);
    served.change(ended, begun);
    for (const { before, after } of changes) {
      if (before && !after) this.#bundles.delete(before.definition.name);
      if (after && after.endpoints.length > 0) this.#forgetAttributes(after.endpoints);
      else if (before) this.#forgetType(before.storage.type);
    }
  }

  /** Forgets a type whose kind has gone or changed, so that its objects are described anew. */
  #forgetType(type: TypeId): void {
    if (!this.#selectable.delete(type)) return;
    this.#described.delete(type);
    this.settings.api.cache.unload(type);
  }

  /** Unloads objects from the cache when their selectable fields change; their watches end and are opened again. */
  #forgetAttributes(endpoints: readonly Endpoint[]): void {
    const [first] = endpoints;
    if (!first) return;
    const names = [...new Set(endpoints.flatMap(({ rules }) => rules.selectableFieldNames))].sort().join();
    if ((this.#selectable.get(first.type) ?? names) !== names) this.settings.api.cache.unload(first.type);
    this.#selectable.set(first.type, names);
  }

  async #empty({ storage }: CustomKind<Endpoint>, stopped: () => boolean): Promise<number> {
    const { store, api } = this.settings;
    let left = 0;
    const count = () => {
      left++;
    };
    await emptyCollection({ store, remover: api.remover }, { endpoint: storage }, stopped, count);
    return left;
  }
}

/** Verbs that discovery does not list for a kind whose definition is being deleted. */
const NOT_GOING = new Set(['create', 'patch', 'update']);

const servingsOf = ({ definition, endpoints }: ServedDefinition<Endpoint>): Serving[] =>
  endpoints.map((endpoint) => ({ endpoint, told: toldOf(definition, endpoint.definition) }));

/** Returns the description for discovery; undefined for a kind that is served but not established yet. */
function toldOf(definition: Definition, endpoint: ResourceDescription): ResourceDescription | undefined {
  if (!definition.isEstablished) return undefined;
  if (!definition.isTerminating) return endpoint;
  return { ...endpoint, verbs: endpoint.verbs.filter((verb) => !NOT_GOING.has(verb)) };
}
