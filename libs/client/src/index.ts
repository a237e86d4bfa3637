export {
  Client,
  type ClientSettings,
  type DeleteOptions,
  type ListQuery,
  type ObjectList,
  PATCH_TYPE,
  type RequestOptions,
  type Selection,
  type WriteQuery,
} from './client.js';
export type { Connection } from './connection.js';
export { connectionMessage } from './connection-message.js';
export { DocumentReader, type DocumentReaderSettings } from './document-reader.js';
export { ApiError, hasReason, isExpired, isTransient, isVersionTooLarge, TransportError } from './errors.js';
export { Informer, type InformerSettings, type InformerStats } from './informer/informer.js';
export { type InformerHandlers, keyOf } from './informer/store.js';
export { KubeconfigError, readKubeconfig } from './kubeconfig/read.js';
export { writeKubeconfig } from './kubeconfig/write.js';
export { type Query, type ResourceRef, resourcePath } from './paths.js';
export {
  type Address,
  type Method,
  type RawRequest,
  type RawResponse,
  Transport,
  type TransportSettings,
} from './transport.js';
export { endsInitialEvents, type WatchEvent, type WatchOptions, type WatchStart } from './watch/watch.js';
