export { alignZeros } from './align-zeros.js';
export { applyDefaults } from './defaults.js';
export { deletionAnswersObject } from './deletion-answer.js';
export { API_RELEASE, deprecationWarning, isLater } from './deprecation.js';
export { DEFAULT_FEATURES, FEATURES, type FeatureName, type Features } from './features.js';
export * from './model.js';
export { parseRuntimeConfig, RuntimeConfigError, type Selection, selectServed } from './runtime-config.js';
export { loadScheme, Scheme } from './scheme.js';
export * from './structural/index.js';
