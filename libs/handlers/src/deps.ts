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
import type { Component } from './components/component.js';
import type { ServedWatches } from './objects/served-watches.js';

/** Limits on what a request may ask for; every one is an option of the service. */
export interface RequestLimits extends BodyLimits, ObjectLimits, WatchLimits {
  /** Deadline of requests other than watches, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Bytes that may be in the connection of one watch whose client does not read. */
  readonly watchBufferBytes: number;
}

/** What the verbs work with; assembled once. */
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
  /** The one way to the store for objects. */
  readonly pipeline: WritePipeline;
  /** Deletes objects. */
  readonly remover: ObjectRemover;
  /** The way for several objects together. */
  readonly sets: WriteSets;
  /** Asked about what is sent and not kept; about objects the pipeline asks. */
  readonly admission: Admission;
  /** Registry of the resources that this process serves. */
  readonly served: ServedResources;
  /** Of what is stored and switched off here, one of each type: objects may be there that other servers serve. */
  readonly unserved: readonly Endpoint[];
  /** What the health of the control plane is made of. */
  readonly components: readonly Component[];
  /** Encoders of objects, by endpoint and `Accept` header. */
  readonly representations: Representations;
  /** Limits on bodies, objects and watches. */
  readonly limits: RequestLimits;
  /** Parses YAML bodies. */
  readonly yaml: YamlReader;
  /** Issues tokens of service accounts; undefined where none are issued. */
  readonly tokenIssuer: TokenIssuer | undefined;
  /** Milliseconds since 1970. */
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
