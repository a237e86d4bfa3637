export { ManualClock } from './manual-clock.js';
export { MemorySource } from './memory-source.js';
