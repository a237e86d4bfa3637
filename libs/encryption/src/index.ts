export type { Provider } from './body-encryption.js';
export { Encryption, type EncryptionSettings } from './encryption.js';
export { readEncryptionFile } from './loaded.js';
export type { Direction, EncryptionObserver } from './observer.js';
