export type { Provider } from './body-encryption.js';
export { Encryption, type EncryptionSettings } from './encryption.js';
export { encryptionMetrics, leftOutObjects } from './encryption-metrics.js';
export { encryptionOptions } from './encryption-options.js';
export { readEncryptionFile } from './loaded.js';
