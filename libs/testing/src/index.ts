export { AUTHORITY, CERTIFICATE_REQUEST } from './certificate-request.js';
export { CONNECTION_LIMITS } from './connection-limits.js';
export {
  controllerHost,
  followedOn,
  type RunningControllers,
  type RunSettings,
  runControllers,
  runNamespaceController,
} from './controllers.js';
export { type Asker, askOf, customServer, definitionOf, serveConverted, serveCustom, version } from './custom-kinds.js';
export { DefinitionServer, DefinitionServers, thingDefinition } from './definition-servers.js';
export { registrationOf, startExtension, type TestExtension } from './extension-server.js';
export { heldUp } from './held-up.js';
export { leavingOut } from './leaving-out.js';
export { MemoryStore } from './memory-store.js';
export { PagedSource, rowsOf } from './paged-source.js';
export { openSecureServer, type SecureOverrides, type SecureServer, TOKEN } from './secure-server.js';
export { type TestApi, testApi } from './test-api.js';
export {
  type Answer,
  type Ask,
  contextOf,
  type ListenOverrides,
  listenerOf,
  openServer,
  type TestServer,
} from './test-server.js';
