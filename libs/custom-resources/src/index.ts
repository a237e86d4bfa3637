export { CustomKinds } from './custom-kinds.js';
export { CustomResources } from './custom-resources.js';
export type { Definition } from './definition.js';
export { migrationCounter } from './migration-counter.js';
export type { ServedDefinition } from './served-definitions.js';
