export { DatabaseLister } from './database-lister.js';
export { ListGate } from './list-gate.js';
export { MemoryFit } from './memory-fit.js';
export { ObjectLister } from './object-lister.js';
export { ObjectReader } from './object-reader.js';
export { getFreshness, listOptions, parseBool, parseInt64, type WatchOptions, watchOptions } from './read-options.js';
export { selectionOf } from './selection.js';
export { thoughUnloaded } from './unloaded.js';
export { WindowMemory } from './window-memory.js';
