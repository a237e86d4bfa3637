export { DEFAULT_COLUMNS } from './build-resources.js';
export * from './model.js';
export { loadScheme, Scheme } from './scheme.js';
