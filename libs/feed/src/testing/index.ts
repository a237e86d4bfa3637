export { decodeBatch, encodeBatches } from '../record.js';
export { SEAL_BYTES, Seal, sealingKey } from '../seal.js';
export { MemorySource } from './memory-source.js';
