import { describeStore } from '@orch/storage/contract';
import { MemoryStore } from './memory-store.js';

describeStore('the store under the tests of this package', async () => {
  const store = new MemoryStore();
  return {
    store,
    peer: async () => store.peer(),
    compact: async () => store.compactAll(),
    dispose: () => store.close(),
  };
});
