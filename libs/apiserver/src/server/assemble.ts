import { type ApiRole, Grants, ParamRights } from '@orch/access';
import { Admission, type AdmissionPlugin, isNeeded, type StepObserver } from '@orch/admission';
import type { TokenIssuer } from '@orch/authentication';
import { RbacPolicy } from '@orch/authorization';
import { type ApiDeps, type ComponentCheck, type RequestLimits, ServedWatches } from '@orch/handlers';
import {
  type Allocators,
  type ClaimStore,
  type KindSettings,
  lookingOnly,
  makeAddressAllocators,
  makeAllocator,
  portRange,
  serviceNetworks,
} from '@orch/kinds';
import type { Names } from '@orch/machinery';
import { bootstrap, makeNamespaces } from '@orch/maintenance';
import { Evaluators } from '@orch/quota';
import {
  DatabaseLister,
  type DatabaseLists,
  ListGate,
  MemoryFit,
  ObjectLister,
  ObjectReader,
  WindowMemory,
} from '@orch/reading';
import {
  buildEndpoints,
  type Endpoint,
  fromStored,
  notServed,
  PieceCache,
  type PolicyEndpoints,
  policyEndpoints,
  Representations,
  ServedResources,
  storedEndpoint,
  type YamlReader,
} from '@orch/resources';
import type { Bounds } from '@orch/runtime/work';
import type { ResourceDefinition, Scheme } from '@orch/schema';
import { WatchOutputs } from '@orch/serving';
import type { Key, ObjectStore, Store, TypeId } from '@orch/storage';
import type { WatchCache } from '@orch/watchcache';
import { type AllocationClaims, openClaims, QuotaCharges, QuotaIndex } from '@orch/writing';
import { writersApart, writersTo } from './writers.js';

interface AssembleOptions {
  readonly names: Names;
  readonly scheme: Scheme;
  readonly served: readonly ResourceDefinition[];
  /** Versions that objects are stored in, where they differ from the declared ones. */
  readonly storageVersions: readonly string[];
  /** Feature gates and other settings of the kinds. */
  readonly kinds: KindSettings;
  readonly store: Store;
  /** Whether an object is rewritten though its content does not change. Default: none is. */
  readonly isOutdated?: (type: TypeId, key: Key) => Promise<boolean>;
  readonly cache: WatchCache;
  /** Admission plugins, in the order in which they are called. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Called with the duration of each admission step. Default: nothing is observed. */
  readonly onAdmission?: StepObserver;
  readonly limits: RequestLimits;
  readonly yaml: YamlReader;
  /** Whether another process counts the use of quotas. Default: this server alone does. */
  readonly countedElsewhere?: boolean;
  /** Default: no tokens of service accounts are issued. */
  readonly tokenIssuer?: TokenIssuer | undefined;
  readonly lists: ListBudget;
  /** Components whose health ComponentStatus reports. */
  readonly components: readonly ComponentCheck[];
  /** Bytes of encoded and compressed lists to cache; 0 for none. */
  readonly listCacheBytes: number;
  readonly serviceCidr: string;
  readonly nodePorts: { readonly from: number; readonly to: number };
}

/** Limits on all lists together. */
export interface ListBudget {
  /** Number of lists that may read from the database at a time. */
  readonly concurrent: number;
  /** Number of these that one user may have. */
  readonly perUser: number;
  /** Bytes that lists may have read ahead of slow clients. */
  readonly windowBytes: Bounds;
  /**
   * Bytes of all bodies of a type up to which a list loads the type into memory; a larger type is read from the
   * database each time.
   */
  readonly maxCachedBytes: number;
}

/** The API of one process, without sockets. */
export interface Api {
  /** Dependencies of the request handlers. */
  readonly deps: ApiDeps;
  /** Registry of the resources that this process serves. */
  readonly served: ServedResources;
  /** Returns one endpoint for each type of namespaced objects, including types that are switched off. */
  readonly namespaced: () => readonly Endpoint[];
  /** Claims on cluster IPs and node ports in the database, shared by all servers. */
  readonly claims: AllocationClaims;
  /** Allocators of the configured cluster IP and node port ranges. */
  readonly allocators: Allocators;
  /** Cache of encoded and compressed list pages. */
  readonly listCache: PieceCache;
  /** Bounds on lists that read from the database: how many run at a time, and the bytes that they read ahead. */
  readonly databaseLists: DatabaseLists;
  /** Index of all quotas; writes are charged once it has been started. */
  readonly quotas: QuotaIndex;
  /** Compute how much of a quota an object uses. */
  readonly evaluators: Evaluators;
  /** RBAC policy; empty until roles and bindings are loaded into it. */
  readonly policy: RbacPolicy;
  /**
   * Returns the dependencies of handlers whose objects are those of another store: they pass no admission plugin, and
   * are allocated nothing.
   */
  upon(store: ObjectStore): ApiDeps;
  /** Creates the namespaces that every installation has. @throws StatusError, StoreUnavailableError */
  makeNamespaces(): Promise<void>;
  /** Creates the other objects that every installation has. @throws StatusError, StoreUnavailableError */
  bootstrap(securePort: number): Promise<void>;
}

/**
 * Registers the stored types and wires up the API of one process.
 * @throws Error where namespaces or quotas are missing
 */
export async function assembleApi(options: AssembleOptions): Promise<Api> {
  const { names, scheme, store, cache, kinds } = options;
  const { features } = kinds;
  const now = Date.now;
  const endpointsOf = (definitions: readonly ResourceDefinition[]) =>
    buildEndpoints(definitions, scheme, store, options.storageVersions, kinds);
  const served = new ServedResources(await endpointsOf(options.served));
  const unserved = await endpointsOf(notServed(options.served, scheme));
  const namespaces = served.current.ofResource('', 'namespaces');
  if (!namespaces) throw new Error('namespaces must be served');
  store.setNamespaceType(namespaces.type);
  const quotas = new QuotaIndex(quotaEndpoint(served, unserved));
  store.setAccountType(quotas.endpoint.type);
  const evaluators = new Evaluators(names, features.enabled('InPlacePodVerticalScaling'));
  const claims = await openClaims(store);
  const listCache = new PieceCache(options.listCacheBytes);
  const databaseLists = makeDatabaseLists(options);
  const reader = new ObjectReader(store, cache);
  const admission = new Admission(options.plugins, options.onAdmission);
  const group = names.group('rbac.authorization.orch.io');
  const policy = new RbacPolicy(group);
  const role = roleReader(policyEndpoints({ names, served, unserved }), reader);
  const planning = {
    admission,
    allocators: makeAllocators(options, claims),
    lookingAllocators: makeAllocators(options, {
      clusterIPs: lookingOnly(claims.clusterIPs),
      nodePorts: lookingOnly(claims.nodePorts),
    }),
    limits: options.limits,
    grants: new Grants({ group, policy, role }),
    paramRights: paramRights({ names, served, unserved }, reader),
    quotas: new QuotaCharges({
      index: quotas,
      evaluators,
      limits: isNeeded(options.plugins, 'quotas'),
      countedElsewhere: options.countedElsewhere ?? false,
    }),
    isOutdated: options.isOutdated,
    ...{ now, namespaces, patience: options.limits.requestTimeoutMs },
  };
  const meta = {
    partialObjectMetadata: scheme.struct('meta/v1.PartialObjectMetadata'),
    listMeta: scheme.struct('meta/v1.ListMeta'),
    status: scheme.struct('meta/v1.Status'),
  };
  // Types switched off here may be served elsewhere, or later: their objects would reappear in a namespace of the name.
  const namespaced = () => [...served.current.types, ...unserved].filter(({ definition }) => definition.namespaced);
  const deps: ApiDeps = {
    names,
    scheme,
    store,
    cache,
    ...writersTo(store, reader, planning),
    served,
    unserved,
    components: options.components,
    lister: makeLister(options, reader, databaseLists),
    representations: new Representations(names, meta, now, listCache),
    now,
    limits: options.limits,
    yaml: options.yaml,
    tokenIssuer: options.tokenIssuer,
    watchOutputs: new WatchOutputs(options.limits.watchBufferBytes),
    servedWatches: new ServedWatches(served, cache),
    watchList: features.enabled('WatchList'),
    chunking: features.enabled('APIListChunking'),
    remainingItemCount: features.enabled('RemainingItemCount'),
    podDisruptionConditions: features.enabled('PodDisruptionConditions'),
    unhealthyPodEvictionPolicy: features.enabled('PDBUnhealthyPodEvictionPolicy'),
    compress: features.enabled('APIResponseCompression'),
  };
  const { pipeline } = deps;
  return {
    deps,
    served,
    policy,
    claims,
    allocators: planning.allocators,
    listCache,
    databaseLists,
    quotas,
    evaluators,
    namespaced,
    upon: (other) => ({ ...deps, ...writersApart(other, planning) }),
    makeNamespaces: () => makeNamespaces({ reader, pipeline, namespaces }),
    bootstrap: (securePort) =>
      bootstrap({
        reader,
        pipeline,
        names,
        services: served.current.ofResource('', 'services'),
        securePort,
        priorityClasses: isNeeded(options.plugins, 'priorities')
          ? storedEndpoint({ names, served, unserved }, 'scheduling.orch.io', 'priorityclasses')
          : undefined,
        serviceAddress: serviceNetworks(options.serviceCidr)[0].first,
      }),
  };
}

/** Returns the endpoint of quotas, also where the API does not serve them: they are counted all the same. */
function quotaEndpoint(served: ServedResources, unserved: readonly Endpoint[]): Endpoint {
  const isQuota = ({ definition: { group, resource } }: Endpoint) => group === '' && resource === 'resourcequotas';
  const endpoint = served.current.ofResource('', 'resourcequotas') ?? unserved.find(isQuota);
  if (!endpoint) throw new Error('resourcequotas must be declared');
  return endpoint;
}

/** Returns a function that reads the current state of a role. */
function roleReader({ roles, clusterroles }: PolicyEndpoints, reader: ObjectReader) {
  return async (namespace: string, name: string): Promise<ApiRole | undefined> => {
    const endpoint = namespace === '' ? clusterroles : roles;
    const stored = await reader.current(endpoint.type, { namespace, name });
    return stored && (fromStored(stored, endpoint) as ApiRole);
  };
}

function paramRights(known: Pick<ApiDeps, 'names' | 'served' | 'unserved'>, reader: ObjectReader): ParamRights {
  const group = 'admissionregistration.orch.io';
  const endpoint = storedEndpoint(known, group, 'validatingadmissionpolicies');
  const policy = async (name: string) => {
    const stored = await reader.current(endpoint.type, { namespace: '', name });
    return stored && fromStored(stored, endpoint);
  };
  return new ParamRights({ group: known.names.group(group), served: known.served, policy });
}

function makeDatabaseLists({ lists, limits }: AssembleOptions) {
  const { concurrent: inAll, perUser, windowBytes } = lists;
  return {
    gate: new ListGate({ inAll, perUser }, limits.requestTimeoutMs / 2),
    memory: new WindowMemory(windowBytes),
  };
}

function makeLister(
  { store, cache, lists }: AssembleOptions,
  reader: ObjectReader,
  { gate, memory }: ReturnType<typeof makeDatabaseLists>,
): ObjectLister {
  const database = new DatabaseLister(store, gate, memory);
  return new ObjectLister(cache, reader, database, new MemoryFit(store, lists.maxCachedBytes));
}

function makeAllocators(
  { serviceCidr, nodePorts }: AssembleOptions,
  claims: Record<keyof Allocators, ClaimStore>,
): Allocators {
  return {
    clusterIPs: makeAddressAllocators(serviceNetworks(serviceCidr), claims.clusterIPs),
    nodePorts: makeAllocator(portRange(nodePorts.from, nodePorts.to), claims.nodePorts),
  };
}
