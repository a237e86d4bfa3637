export { alignZeros } from './align-zeros.js';
export { applyDefaults } from './defaults.js';
export { deletionAnswersObject } from './deletion-answer.js';
export { API_RELEASE, deprecationWarning } from './deprecation.js';
export * from './model.js';
export { parseRuntimeConfig, RuntimeConfigError, selectServed } from './runtime-config.js';
export { loadScheme, Scheme } from './scheme.js';
