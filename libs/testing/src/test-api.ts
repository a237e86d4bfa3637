import type { AdmissionPlugin, Operation } from '@orch/admission';
import { assembleApi, type ListBudget } from '@orch/apiserver';
import type { RbacPolicy } from '@orch/authorization';
import { inProcessBus, OrderedFeed } from '@orch/feed';
import type { ApiDeps, RequestLimits } from '@orch/handlers';
import type { Allocators } from '@orch/kinds';
import { type ApiObject, copy, type NamingProfile, namesOf } from '@orch/machinery';
import { type Endpoint, type ServedResources, servedObject, YamlReader } from '@orch/resources';
import { FEATURES, type FeatureName, loadScheme, type Scheme } from '@orch/schema';
import { WatchCache } from '@orch/watchcache';
import { serverItself, type WriteRequest } from '@orch/writing';
import { MemoryStore } from './memory-store.js';
import { sourceThread } from './source-thread.js';

/** The API on a store in memory, without sockets. */
export interface TestApi {
  readonly deps: ApiDeps;
  readonly served: ServedResources;
  readonly endpoints: readonly Endpoint[];
  readonly store: MemoryStore;
  readonly allocators: Allocators;
  /** One endpoint for each type of namespaced objects, switched off or not. */
  readonly namespaced: () => readonly Endpoint[];
  /** Who may do what; follows nothing by itself. */
  readonly policy: RbacPolicy;
  readonly feed: OrderedFeed;
  /** An endpoint by resource, and by group where that is not clear. */
  endpoint(resource: string, group?: string, version?: string): Endpoint;
  /** A request of an administrator for one object, in namespace `default` where it needs one. */
  request(operation: Operation, resource: string, name: string, rest?: Partial<WriteRequest>): WriteRequest;
  /** Creates an object as a POST would, in namespace `default` where it needs one. */
  create(resource: string, object: ApiObject, namespace?: string): Promise<ApiObject>;
  /** The object as the store has it, in its storage version. */
  stored(resource: string, name: string, namespace?: string): ApiObject | undefined;
  close(): void;
}

const schemes = new Map<NamingProfile, Scheme>();

function schemeOf(profile: NamingProfile): Scheme {
  const scheme = schemes.get(profile) ?? loadScheme(namesOf(profile));
  schemes.set(profile, scheme);
  return scheme;
}

/** What requests may take in tests. */
export const LIMITS: RequestLimits = {
  maxBodyBytes: 3 << 20,
  bodyTimeoutMs: 30_000,
  maxValues: 50_000,
  maxOwnedValues: 20_000,
  minRequestTimeoutSeconds: 1800,
  maxWatchAgeMs: 0,
  requestTimeoutMs: 60_000,
  watchBufferBytes: 48 << 10,
};

/** @param limits in place of the defaults */
export async function testApi(
  limits: Partial<RequestLimits> = {},
  profile: NamingProfile = 'orch',
  store = new MemoryStore(),
  lists: Partial<ListBudget> = {},
  plugins: readonly AdmissionPlugin[] = [],
  storageVersions: readonly string[] = [],
  features: Partial<Record<FeatureName, boolean>> = {},
  switchedOff: readonly string[] = [],
): Promise<TestApi> {
  const names = namesOf(profile);
  const scheme = schemeOf(profile);
  const bus = inProcessBus();
  const feed = new OrderedFeed({ source: store, bus });
  const cache = new WatchCache({ source: store, feed });
  store.onCommit((changes) => bus.publish(changes));
  const { deps, served, namespaced, allocators, policy } = await assembleApi({
    names,
    scheme,
    served: scheme.resources.filter((each) => each.servedByDefault && !switchedOff.includes(each.resource)),
    storageVersions,
    kinds: {
      features: { enabled: (name) => features[name] ?? (name === 'WatchList' || FEATURES[name].default) },
      allowPrivileged: true,
    },
    store,
    cache,
    plugins,
    limits: { ...LIMITS, ...limits },
    yaml: new YamlReader(() => sourceThread(new URL('../../resources/src/decoding/yaml-worker.ts', import.meta.url))),
    lists: { concurrent: 4, perUser: 4, windowBytes: { inAll: 0, perUser: 0 }, maxCachedBytes: 1 << 27, ...lists },
    components: [{ name: 'memory', check: async () => undefined }],
    listCacheBytes: 1 << 20,
    serviceCidr: '10.96.0.0/24',
    nodePorts: { from: 30000, to: 30010 },
  });
  const { endpoints } = served.current;
  const endpoint = (resource: string, group?: string, version?: string): Endpoint => {
    const found = endpoints.find(
      ({ definition: d }) =>
        d.resource === resource && (group ?? d.group) === d.group && (version ?? d.version) === d.version,
    );
    if (!found) throw new Error(`${resource} is not served`);
    return found;
  };
  const api: TestApi = {
    deps,
    served,
    endpoints,
    store,
    allocators,
    namespaced,
    policy,
    feed,
    endpoint,
    request(operation, resource, name, rest) {
      const at = endpoint(resource);
      const key = { namespace: at.definition.namespaced ? 'default' : '', name };
      return {
        operation,
        endpoint: at,
        key,
        subresource: '',
        caller: serverItself(),
        options: { dryRun: false },
        ...rest,
      };
    },
    async create(resource, object, namespace = 'default') {
      const at = endpoint(resource);
      const key = { namespace: at.definition.namespaced ? namespace : '', name: object.metadata?.name ?? '' };
      const request = api.request('CREATE', resource, key.name, { key });
      const { stored } = await deps.pipeline.write(request, { create: () => copy(object) });
      return servedObject(at, stored);
    },
    stored(resource, name, namespace = 'default') {
      const at = endpoint(resource);
      const within = at.definition.namespaced ? namespace : '';
      const row = store.rows(at.type).find((one) => one.name === name && one.namespace === within);
      return row && servedObject(at, row);
    },
    close() {
      deps.yaml.close();
      cache.close();
      feed.close();
      void bus.close();
    },
  };
  if (!api.stored('namespaces', 'default')) await api.create('namespaces', { metadata: { name: 'default' } });
  return api;
}
