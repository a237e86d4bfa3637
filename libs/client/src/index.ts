export type { EnvironmentVariables } from '@orch/runtime';
export type { BinaryForm } from './binary-form.js';
export {
  Client,
  type ClientSettings,
  type DeleteOptions,
  type ListQuery,
  type ListSelectors,
  type ObjectList,
  PATCH_TYPE,
  type RequestOptions,
  type WriteQuery,
} from './client.js';
export type { ClientUser, Connection, ImpersonationConfig, ServerPlace } from './connection.js';
export { connectionMessage } from './connection-message.js';
export { type Address, type AllowsAddress, allowedLookup } from './connector.js';
export type { ExecPlugin, InteractiveMode } from './credentials/exec-plugin.js';
export type { PluginLimits } from './credentials/run-plugin.js';
export { DocumentReader, type DocumentReaderSettings } from './document-reader.js';
export {
  ApiError,
  CredentialsError,
  hasReason,
  isExpired,
  isTransient,
  isVersionTooLarge,
  TransportError,
} from './errors.js';
export { type InformerStats, keyOf } from './informer/http-reflector.js';
export { Informer } from './informer/informer.js';
export { certificatesInKubeconfig, type KubeconfigCertificates } from './kubeconfig/certificates.js';
export { KubeconfigError } from './kubeconfig/entry-reader.js';
export { type InClusterOptions, inClusterConnection } from './kubeconfig/in-cluster.js';
export { type KubeconfigOptions, loadConnection, readKubeconfig } from './kubeconfig/read.js';
export { UsersByHost } from './kubeconfig/users-by-host.js';
export { clusterInfoText, kubeconfigText, writeKubeconfig } from './kubeconfig/write.js';
export { cleanPath, type Query, type ResourceRef, resourcePath } from './paths.js';
export {
  type HttpMethod,
  type RawRequest,
  type RawResponse,
  Transport,
  type TransportSettings,
} from './transport.js';
export { endsInitialEvents, type WatchEvent, type WatchOptions, type WatchStart } from './watch/watch.js';
