import type { Admission } from '@orch/admission';
import type { TokenIssuer } from '@orch/authentication';
import type { Names } from '@orch/machinery';
import type { ObjectLister, ObjectReader } from '@orch/reading';
import type { Endpoint, Representations, ServedResources, YamlReader } from '@orch/resources';
import type { Scheme } from '@orch/schema';
import type { BodyLimits, WatchLimits, WatchOutputs } from '@orch/serving';
import type { ReadingStore } from '@orch/storage';
import type { WatchCache } from '@orch/watchcache';
import type { ObjectLimits, ObjectRemover, WritePipeline, WriteSets } from '@orch/writing';
import type { ComponentCheck } from './components/component.js';
import type { Connections } from './connecting/connections.js';
import type { ServedWatches } from './objects/served-watches.js';

/** Limits on requests; each is an option of the service. */
export interface RequestLimits extends BodyLimits, ObjectLimits, WatchLimits {
  /** Deadline of requests other than watches, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Bytes that may wait in the connection of one watch whose client does not read. */
  readonly watchBufferBytes: number;
}

/** Dependencies of the handlers of verbs: those of all handlers, and what connects to nodes. */
export interface VerbDeps extends ApiDeps {
  /** Connections to nodes and to what runs on them. */
  readonly connections: Connections;
}

/** Dependencies of the request handlers; assembled once. */
export interface ApiDeps {
  /** Names of groups and keys in the naming profile of the installation. */
  readonly names: Names;
  /** Schemas of all declared kinds. */
  readonly scheme: Scheme;
  /** Store for reads; writes go through {@link pipeline}. */
  readonly store: ReadingStore;
  /** Objects and recent changes in memory, by type. */
  readonly cache: WatchCache;
  /** Reads single objects. */
  readonly reader: ObjectReader;
  /** Reads collections. */
  readonly lister: ObjectLister;
  /** Writes single objects; all writes but those of {@link sets} go through it. */
  readonly pipeline: WritePipeline;
  /** Deletes objects. */
  readonly remover: ObjectRemover;
  /** Writes several objects in one transaction. */
  readonly sets: WriteSets;
  /** Runs admission for requests that store no object (reviews, connections); the pipeline runs it for objects. */
  readonly admission: Admission;
  /** Registry of the resources that this process serves. */
  readonly served: ServedResources;
  /** Endpoints of types that are stored but not served here, one for each type: other servers may serve them. */
  readonly unserved: readonly Endpoint[];
  /** Components whose health ComponentStatus reports. */
  readonly components: readonly ComponentCheck[];
  /** Encoders of objects, by endpoint and `Accept` header. */
  readonly representations: Representations;
  /** Limits on bodies, objects and watches. */
  readonly limits: RequestLimits;
  /** Parses YAML bodies. */
  readonly yaml: YamlReader;
  /** Issues tokens of service accounts; undefined where none are issued. */
  readonly tokenIssuer: TokenIssuer | undefined;
  /** Returns the wall clock time, milliseconds since 1970. */
  readonly now: () => number;
  /** Registry of the open watches and the bytes that wait for their clients. */
  readonly watchOutputs: WatchOutputs;
  /** Watches by endpoint, so that they end when their endpoint goes. */
  readonly servedWatches: ServedWatches;
  /** The feature gate `WatchList`. */
  readonly watchList: boolean;
  /** The feature gate `APIListChunking`. */
  readonly chunking: boolean;
  /** The feature gate `RemainingItemCount`. */
  readonly remainingItemCount: boolean;
  /** The feature gate `PodDisruptionConditions`. */
  readonly podDisruptionConditions: boolean;
  /** The feature gate `PDBUnhealthyPodEvictionPolicy`. */
  readonly unhealthyPodEvictionPolicy: boolean;
  /** The feature gate `APIResponseCompression`. */
  readonly compress: boolean;
}
