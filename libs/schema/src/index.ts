export { alignZeros } from './align-zeros.js';
export { DEFAULT_COLUMNS } from './build-resources.js';
export { applyDefaults } from './defaults.js';
export { deletionAnswersObject } from './deletion-answer.js';
export { API_RELEASE, deprecationWarning, isDeprecated } from './deprecation.js';
export * from './model.js';
export { parseRuntimeConfig, RuntimeConfigError, selectServed } from './runtime-config.js';
export { loadScheme, Scheme } from './scheme.js';
