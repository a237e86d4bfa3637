import type { Names } from '@orch/machinery';
import type { Scheme } from '@orch/schema';
import type { Store } from '@orch/storage';
import type { WatchCache } from '@orch/watchcache';
import type { YamlReader } from './decoding/yaml-reader.js';
import type { Endpoint } from './endpoint.js';
import type { WatchOutputs } from './http/watch-output.js';
import type { ObjectLister } from './reading/object-lister.js';
import type { ObjectReader } from './reading/object-reader.js';
import type { Representations } from './representation/choose.js';
import type { ObjectRemover } from './writing/object-remover.js';
import type { ObjectWriter } from './writing/object-writer.js';

/** Limits on what a request may ask for; every one is an option of the service. */
export interface RequestLimits {
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
  /** Most values (scalars, objects, lists) in a request body, and in an object as it is stored. */
  readonly maxValues: number;
  /** A watch without `timeoutSeconds` ends after a random time between once and twice this, seconds. */
  readonly minRequestTimeoutSeconds: number;
  /** A watch ends after a random time between half of this and this, whatever it asked for; 0 for no such end. Milliseconds. */
  readonly maxWatchAgeMs: number;
  /** Deadline of requests other than watches, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Bytes that may be in the connection of one watch whose client does not read. */
  readonly watchBufferBytes: number;
}

/** What the verbs work with; assembled once. */
export interface ApiDeps {
  readonly names: Names;
  readonly scheme: Scheme;
  readonly store: Store;
  readonly cache: WatchCache;
  readonly reader: ObjectReader;
  readonly lister: ObjectLister;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly representations: Representations;
  readonly limits: RequestLimits;
  readonly yaml: YamlReader;
  readonly watchOutputs: WatchOutputs;
  /** The feature gate `WatchList`. */
  readonly watchList: boolean;
  /** The feature gate `APIResponseCompression`. */
  readonly compress: boolean;
}

/** A request whose path has been resolved to an endpoint. */
export interface ResourceCall {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}
