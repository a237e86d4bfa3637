import { Grants, ParamRights, type Role } from '@orch/access';
import { Admission, type AdmissionPlugin, type StepObserver } from '@orch/admission';
import type { TokenIssuer } from '@orch/authentication';
import { RbacPolicy } from '@orch/authorization';
import { type ApiDeps, type Component, type RequestLimits, ServedWatches } from '@orch/handlers';
import {
  type Allocators,
  type Claims,
  type KindSettings,
  lookingOnly,
  makeAddressAllocators,
  makeAllocator,
  portRange,
  serviceNetworks,
} from '@orch/kinds';
import type { Names } from '@orch/machinery';
import { bootstrap, makeNamespaces, NamespaceContents, NamespaceTerminator } from '@orch/maintenance';
import { Evaluators } from '@orch/quota';
import { DatabaseLister, ListGate, MemoryFit, ObjectLister, ObjectReader, WindowMemory } from '@orch/reading';
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
import type { Key, Store, TypeId } from '@orch/storage';
import type { WatchCache } from '@orch/watchcache';
import {
  type AllocationClaims,
  ObjectRemover,
  openClaims,
  QuotaCharges,
  QuotaIndex,
  WritePipeline,
  WriteSets,
} from '@orch/writing';
import type { DatabaseLists } from '../metrics/server-observers.js';

export interface AssembleOptions {
  readonly names: Names;
  readonly scheme: Scheme;
  readonly served: readonly ResourceDefinition[];
  /** Versions that objects are written in, where it is not the one that is declared. */
  readonly storageVersions: readonly string[];
  /** Which features are on, and what else the installation decides of its kinds. */
  readonly kinds: KindSettings;
  readonly store: Store;
  /** Whether an object is to be written anew though nothing of it changes. Default: none is. */
  readonly isOutdated?: (type: TypeId, key: Key) => Promise<boolean>;
  readonly cache: WatchCache;
  /** Admission plugins, in the order in which they are asked. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Hears how long they took. Default: nobody. */
  readonly onAdmission?: StepObserver;
  readonly limits: RequestLimits;
  readonly yaml: YamlReader;
  /** Whether somebody else counts quotas. Default: no server but this. */
  readonly countedElsewhere?: boolean;
  /** Default: no tokens of service accounts are issued. */
  readonly tokenIssuer?: TokenIssuer | undefined;
  readonly lists: ListBudget;
  /** What the health of the control plane is made of. */
  readonly components: readonly Component[];
  /** Bytes of encoded and compressed lists that are kept. */
  readonly listCacheBytes: number;
  readonly serviceCidr: string;
  readonly nodePorts: { readonly from: number; readonly to: number };
  /** Resolves when all kinds are served that any server served before the call. Default: at once, as none come and go. */
  readonly catchUp?: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** What lists may take, all of them together. */
export interface ListBudget {
  /** Lists that read from the database at a time. */
  readonly concurrent: number;
  /** Those of one user among them. */
  readonly perUser: number;
  /** Bytes that lists have read ahead of clients that do not read. */
  readonly windowBytes: Bounds;
  /** Bodies of a type that a list takes into memory, bytes; a larger type is read from the database each time. */
  readonly maxCachedBytes: number;
}

/** The API of one process, without sockets. */
export interface Api {
  /** Dependencies of the request handlers. */
  readonly deps: ApiDeps;
  /** Registry of the resources that this process serves. */
  readonly served: ServedResources;
  /** Empties namespaces that are being deleted. */
  readonly terminator: NamespaceTerminator;
  /** Claims on cluster IPs and node ports in the database, shared by all servers. */
  readonly claims: AllocationClaims;
  /** Of the ranges that are configured. */
  readonly allocators: Allocators;
  /** Cache of encoded and compressed list pages. */
  readonly listCache: PieceCache;
  /** Bounds on lists that read from the database: how many run at a time, and the bytes that they read ahead. */
  readonly databaseLists: DatabaseLists;
  /** Quotas, once they are followed: writes are charged from then on. */
  readonly quotas: QuotaIndex;
  /** What objects use up of them. */
  readonly evaluators: Evaluators;
  /** Who may do what; empty until somebody puts it in. */
  readonly policy: RbacPolicy;
  /** Makes the namespaces that every installation has. */
  makeNamespaces(): Promise<void>;
  /** Makes what else every installation has. */
  bootstrap(securePort: number): Promise<void>;
}

/**
 * Wires up the API of one process: registers stored types, and makes the registry of resources, the write pipeline and
 * the readers.
 * @throws Error where namespaces are not among the served resources, or resourcequotas are not declared;
 * StoreUnavailableError
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
  const limits = options.plugins.some(({ name }) => name === 'ResourceQuota');
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
      limits,
      countedElsewhere: options.countedElsewhere ?? false,
    }),
    isOutdated: options.isOutdated,
    now,
  };
  const patience = options.limits.requestTimeoutMs;
  const pipeline = new WritePipeline({ ...planning, store, reader, namespaces, patience });
  const remover = new ObjectRemover({ pipeline, now });
  const meta = {
    partialObjectMetadata: scheme.struct('meta/v1.PartialObjectMetadata'),
    listMeta: scheme.struct('meta/v1.ListMeta'),
    status: scheme.struct('meta/v1.Status'),
  };
  // What is switched off here may be served elsewhere, or again later, and would be there in the next namespace of the name.
  const namespaced = () => [...served.current.types, ...unserved].filter(({ definition }) => definition.namespaced);
  return {
    deps: {
      names,
      scheme,
      store,
      cache,
      reader,
      pipeline,
      remover,
      sets: new WriteSets({ ...planning, store }),
      admission,
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
    },
    served,
    policy,
    claims,
    allocators: planning.allocators,
    listCache,
    databaseLists,
    quotas,
    evaluators,
    terminator: new NamespaceTerminator({
      store,
      names,
      namespaces,
      contents: new NamespaceContents({
        store,
        remover,
        namespaced,
        ...(options.catchUp && { catchUp: options.catchUp }),
      }),
      pipeline,
      now,
      onError: options.onError,
    }),
    makeNamespaces: () => makeNamespaces({ reader, pipeline, namespaces }),
    bootstrap: (securePort) =>
      bootstrap({
        reader,
        pipeline,
        names,
        services: served.current.ofResource('', 'services'),
        securePort,
        priorityClasses: options.plugins.some(({ name }) => name === 'Priority')
          ? storedEndpoint({ names, served, unserved }, 'scheduling.orch.io', 'priorityclasses')
          : undefined,
        serviceAddress: serviceNetworks(options.serviceCidr)[0].first,
      }),
  };
}

/** Quotas are counted also where nobody may look at them. */
function quotaEndpoint(served: ServedResources, unserved: readonly Endpoint[]): Endpoint {
  const isQuota = ({ definition: { group, resource } }: Endpoint) => group === '' && resource === 'resourcequotas';
  const endpoint = served.current.ofResource('', 'resourcequotas') ?? unserved.find(isQuota);
  if (!endpoint) throw new Error('resourcequotas must be declared');
  return endpoint;
}

/** Reads roles as they are now. */
function roleReader({ roles, clusterroles }: PolicyEndpoints, reader: ObjectReader) {
  return async (namespace: string, name: string): Promise<Role | undefined> => {
    const endpoint = namespace === '' ? clusterroles : roles;
    const stored = await reader.current(endpoint.type, { namespace, name });
    return stored && (fromStored(stored, endpoint) as Role);
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
  claims: Record<keyof Allocators, Claims>,
): Allocators {
  return {
    clusterIPs: makeAddressAllocators(serviceNetworks(serviceCidr), claims.clusterIPs),
    nodePorts: makeAllocator(portRange(nodePorts.from, nodePorts.to), claims.nodePorts),
  };
}
