import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdmissionPlugin, refusal } from '@orch/admission';
import { type Api, assembleApi } from '@orch/apiserver';
import type { ControllerGroup } from '@orch/controllers';
import { CustomKinds, type Definition, type ServedDefinition } from '@orch/custom-resources';
import { type ChangeBus, inProcessBus, OrderedFeed } from '@orch/feed';
import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { type Endpoint, fromStored, ownersApart, YamlReader } from '@orch/resources';
import { LEADERSHIP_MS } from '@orch/runtime/work';
import { loadScheme } from '@orch/schema';
import { openStore, type PostgresStore } from '@orch/storage';
import { startEmbeddedPostgres } from '@orch/storage/embedded';
import { WatchCache } from '@orch/watchcache';
import { emptyCollection, rewriteCollection, serverItself, type WriteRequest } from '@orch/writing';
import pg from 'pg';
import { type RunningControllers, runControllers } from './controllers.js';
import { sourceThread } from './source-thread.js';
import { LIMITS } from './test-api.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);
const GROUP = 'apiextensions.k8s.io';

/** A definition of the kind `Thing` of `things.example.com`, changed by what is given. */
export function thingDefinition(
  spec: { group?: string; names?: Record<string, unknown>; versions?: readonly object[] } = {},
  metadata: ApiObject['metadata'] = {},
): ApiObject {
  const { group = 'example.com' } = spec;
  const called = { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList', ...spec.names };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return {
    metadata: { name: `${called.plural}.${group}`, ...metadata },
    spec: { scope: 'Namespaced', versions: [version], ...spec, group, names: called },
  };
}

/** Servers of definitions on one PostgreSQL, those of each test in a schema of its own. */
export class DefinitionServers {
  #schemas = 0;
  #client: pg.Client | undefined;
  #bus = inProcessBus();
  #servers: DefinitionServer[] = [];

  private constructor(
    private readonly dataDir: string,
    private readonly postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>,
  ) {}

  static async start(): Promise<DefinitionServers> {
    const dataDir = await mkdtemp(join(tmpdir(), 'definitions-test-'));
    return new DefinitionServers(dataDir, await startEmbeddedPostgres({ dataDir }));
  }

  /** One that is not started yet. */
  async open(): Promise<DefinitionServer> {
    const server = await DefinitionServer.open(this.postgres.url, `d${this.#schemas}`, this.#bus);
    this.#servers.push(server);
    return server;
  }

  /** Several that are started, of which the first decides. */
  async opened(count: number): Promise<DefinitionServer[]> {
    const all = await Promise.all(Array.from({ length: count }, () => this.open()));
    for (const [at, server] of all.entries()) await server.start(at === 0);
    return all;
  }

  /** Statements of somebody who meddles. */
  async query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    if (!this.#client) {
      const options = `-c search_path=d${this.#schemas}`;
      this.#client = new pg.Client({ connectionString: this.postgres.url, options });
      await this.#client.connect();
    }
    return this.#client.query(text, values);
  }

  /** The time of the process that decides is over, and that of the servers which are furthest behind. */
  async expire(): Promise<void> {
    await this.query("UPDATE maintenance_lease SET until = clock_timestamp() WHERE name = 'definitions'");
    await this.query('UPDATE server SET until = clock_timestamp() WHERE served = (SELECT min(served) FROM server)');
  }

  /** Makes another schema the one that is used; servers on the one before are ended. */
  async fresh(): Promise<void> {
    await this.#end();
    this.#bus = inProcessBus();
    this.#schemas++;
  }

  async dispose(): Promise<void> {
    await this.#end();
    await this.postgres.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    await Promise.all([this.#client?.end(), this.#bus.close()]);
    this.#servers = [];
    this.#client = undefined;
  }
}

/** A server of definitions; objects of its kinds look like config maps, as it does not matter here how they look. */
export class DefinitionServer {
  /** What is served of definitions now, and how often that has changed. */
  readonly served: { now: readonly ServedDefinition<Endpoint>[]; changes: number } = { now: [], changes: 0 };
  readonly errors: unknown[] = [];
  /** How often it was looked how far all servers have come. */
  looks = 0;
  /** Waited for before types are registered: what is new is not served until then. */
  hold: Promise<void> | undefined;
  /** Definitions of these names cannot be made. */
  readonly broken = new Set<string>();
  /** Definitions of these names are not let be told anything. */
  readonly refused: Set<string>;
  readonly kinds: CustomKinds<Endpoint>;
  #running: RunningControllers | undefined;
  readonly #definitions: Endpoint;
  readonly #unsubscribe: () => void;
  #ended: Promise<void> | undefined;

  private constructor(
    readonly store: PostgresStore,
    private readonly feed: OrderedFeed,
    private readonly cache: WatchCache,
    private readonly api: Api,
    bus: ChangeBus,
    refused: Set<string>,
  ) {
    this.refused = refused;
    this.#unsubscribe = store.onCommit((changes) => bus.publish(changes));
    this.#definitions = this.#endpoint(GROUP, 'customresourcedefinitions');
    this.kinds = this.#customKinds();
  }

  #controllers(): ControllerGroup {
    const { api, store } = this;
    const { pipeline } = api.deps;
    const empty = ({ storage }: { storage: Endpoint }, stopped: () => boolean) => this.#empty(storage, stopped);
    const tools = { store, pipeline, turn: async () => undefined };
    return this.kinds.controllers({
      ...{ names, pipeline, now: Date.now, empty, settlingMs: 0 },
      rewrite: ({ storage }, stopped, onDone) => rewriteCollection(tools, storage, stopped, onDone),
    });
  }

  static async open(url: string, schema: string, bus: ChangeBus): Promise<DefinitionServer> {
    const store = await openStore({ url, schema, naming: 'kubernetes', bodies: ownersApart });
    const feed = new OrderedFeed({ source: store, bus });
    const cache = new WatchCache({ source: store, feed });
    const refused = new Set<string>();
    const api = await assembleTestApi(store, cache, refusing(refused));
    const server = new DefinitionServer(store, feed, cache, api, bus, refused);
    await server.#ensureNamespace();
    return server;
  }

  #customKinds(): CustomKinds<Endpoint> {
    const { store, feed, api, served } = this;
    return new CustomKinds<Endpoint>({
      store: {
        snapshot: (request) => store.snapshot(request),
        get: (type, key) => store.get(type, key),
        onRewind: (listener) => store.onRewind(listener),
        registerTypes: async (types) => {
          await this.hold;
          return store.registerTypes(types);
        },
        presence: (duration) => store.presence(duration),
        leastProgress: () => {
          this.looks++;
          return store.leastProgress();
        },
      },
      feed,
      definitions: this.#definitions,
      make: (definition, type) => this.#make(definition, type),
      publish(changes) {
        const names = new Set(changes.map(({ before, after }) => (after ?? before)?.definition.name));
        const others = served.now.filter(({ definition }) => !names.has(definition.name));
        served.now = [...others, ...changes.flatMap(({ after }) => after ?? [])];
        served.changes++;
      },
      isBuiltIn: (group, resource) => api.served.current.ofResource(group, resource) !== undefined,
      onError: (error) => void this.errors.push(error),
    });
  }

  #make({ name, group, names: { plural, kind } }: Definition, type: number) {
    if (this.broken.has(name)) throw new Error(`${name} is broken`);
    const base = this.#endpoint('', 'configmaps');
    const definition = { ...base.definition, group, version: 'v1', resource: plural, kind };
    const groupResource = { group, resource: plural };
    const endpoint = { ...base, definition, storage: definition, groupResource, apiVersion: `${group}/v1`, type };
    return { endpoints: [endpoint], storage: endpoint };
  }

  async #empty(endpoint: Endpoint, stopped: () => boolean): Promise<number> {
    let left = 0;
    await emptyCollection({ store: this.store, remover: this.api.deps.remover }, { endpoint }, stopped, () => left++);
    return left;
  }

  #endpoint(group: string, resource: string): Endpoint {
    const found = this.api.served.current.types.find(
      ({ definition }) => definition.group === group && definition.resource === resource,
    );
    if (!found) throw new Error(`${resource} is not served`);
    return found;
  }

  async #ensureNamespace(): Promise<void> {
    const request = this.#request('CREATE', this.#endpoint('', 'namespaces'), 'default');
    const create = () => ({ metadata: { name: 'default' } });
    await this.api.deps.pipeline.write(request, { create }).catch(() => undefined);
  }

  #request(operation: WriteRequest['operation'], endpoint: Endpoint, name: string): WriteRequest {
    const key = { namespace: endpoint.definition.namespaced ? 'default' : '', name };
    return { operation, endpoint, key, subresource: '', caller: serverItself(), options: { dryRun: false } };
  }

  /** Begins to serve, and to decide where that is asked for. */
  async start(decides: boolean): Promise<void> {
    await this.kinds.start();
    if (!decides) return;
    const lease = this.store.lease('definitions', LEADERSHIP_MS);
    const onError = (error: unknown) => void this.errors.push(error);
    this.#running = await runControllers(this.#controllers(), { lease, onError });
  }

  /** Ends in order. */
  stop(): Promise<void> {
    this.#ended ??= this.#stop();
    return this.#ended;
  }

  /** Ends as a process does that is killed: tells nobody. */
  kill(): Promise<void> {
    this.#ended ??= this.#close();
    return this.#ended;
  }

  async #stop(): Promise<void> {
    await this.#running?.stop();
    await this.kinds.stop();
    await this.#close();
  }

  async #close(): Promise<void> {
    this.#unsubscribe();
    this.cache.close();
    this.feed.close();
    this.api.deps.yaml.close();
    await this.store.close();
  }

  async create(definition: ApiObject): Promise<void> {
    const request = this.#request('CREATE', this.#definitions, definition.metadata?.name ?? '');
    await this.api.deps.pipeline.write(request, { create: () => copy(definition) });
  }

  async update(name: string, change: (definition: ApiObject) => ApiObject): Promise<void> {
    await this.api.deps.pipeline.write(this.#request('UPDATE', this.#definitions, name), { change });
  }

  async remove(name: string): Promise<void> {
    const key = { namespace: '', name };
    await this.api.deps.remover.remove(this.#definitions, key, { dryRun: false }, serverItself());
  }

  async get(name: string): Promise<ApiObject | undefined> {
    const row = await this.store.get(this.#definitions.type, { namespace: '', name });
    return row && fromStored(row, this.#definitions);
  }

  /** A condition of a definition: `Status Reason`; undefined where it does not tell of it. */
  async condition(name: string, type: string): Promise<string | undefined> {
    const { status } = (await this.get(name)) ?? {};
    const { conditions } = (status ?? {}) as { conditions?: Record<string, string>[] | null };
    const found = conditions?.find((one) => one.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** What is served of a definition. */
  kind(name: string): ServedDefinition<Endpoint> | undefined {
    return this.served.now.find(({ definition }) => definition.name === name);
  }

  /** What must be served of a definition. */
  needed(name: string): ServedDefinition<Endpoint> {
    const kind = this.kind(name);
    if (!kind) throw new Error(`${name} is not served`);
    return kind;
  }

  /** Makes an object of a kind that is served. */
  async makeObject(kind: string, object: ApiObject): Promise<void> {
    const { storage, definition } = this.needed(kind);
    const end = await this.kinds.beginCreation(definition);
    const request = this.#request('CREATE', storage, object.metadata?.name ?? '');
    await this.api.deps.pipeline.write(request, { create: () => copy(object) }).finally(end);
  }

  /** Takes all finalizers from an object of a kind that is served. */
  async letGo(kind: string, name: string): Promise<void> {
    const request = this.#request('UPDATE', this.needed(kind).storage, name);
    await this.api.deps.pipeline.write(request, {
      change: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, finalizers: [] } }),
    });
  }

  /** Names of the objects of a kind that is served. */
  async objects(kind: string): Promise<string[]> {
    const found: string[] = [];
    const { pages } = await this.store.snapshot({ type: this.needed(kind).storage.type });
    for await (const page of pages) found.push(...page.map(({ name }) => name));
    return found;
  }
}

/** Refuses what the server has to say of definitions of these names. */
const refusing = (refused: ReadonlySet<string>): AdmissionPlugin => ({
  name: 'Refusing',
  handles: ({ name, subresource }) => subresource === 'status' && refused.has(name),
  validate(attributes) {
    throw refusal(attributes, 'nothing is to be said of it');
  },
});

function assembleTestApi(store: PostgresStore, cache: WatchCache, plugin: AdmissionPlugin): Promise<Api> {
  return assembleApi({
    ...{ names, scheme, store, cache, onError: () => undefined, plugins: [plugin], storageVersions: [] },
    served: scheme.resources.filter(({ servedByDefault }) => servedByDefault),
    kinds: { features: { enabled: () => true }, allowPrivileged: true, customKinds: true },
    limits: LIMITS,
    yaml: new YamlReader(() => sourceThread(new URL('../../resources/src/decoding/yaml-worker.ts', import.meta.url))),
    lists: { concurrent: 4, perUser: 4, windowBytes: { inAll: 0, perUser: 0 }, maxCachedBytes: 1 << 27 },
    components: [],
    listCacheBytes: 1 << 20,
    serviceCidr: '10.96.0.0/24',
    nodePorts: { from: 30000, to: 30010 },
  });
}
