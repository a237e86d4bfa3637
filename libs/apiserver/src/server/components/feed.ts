import type { HealthCheck } from '@orch/runtime';
import { type ChangeFeed, openChangeFeed } from '../change-feed.js';
import { declare } from './process.js';

/** Changes, of this process and of others. */
export const feed = declare({ name: 'feed', needs: ['store', 'observation'], makes: ['changes'] }, (process) => {
  process.health.add(
    feedCheck(() => process.peek('changes')),
    'readyz',
  );
  return {
    async start() {
      const { backend, openBus, role } = process.settings;
      const changes = await openChangeFeed({
        backend,
        store: process.need('store'),
        observation: process.need('observation'),
        logger: process.logger,
        openBus,
        makesStream: role.housekeeping,
      });
      process.provide({ changes });
    },
    async stop() {
      await process.peek('changes')?.close();
    },
  };
});

/** A feed that has not been confirmed for so long may be missing changes of most types, in milliseconds. */
const MAX_LAG_MS = 5_000;

/** Fails while changes of most types may be missing. */
export const feedCheck = (changes: () => Pick<ChangeFeed, 'medianLag'> | undefined): HealthCheck => ({
  name: 'feed',
  check() {
    const lag = changes()?.medianLag();
    if (lag === undefined) throw new Error('the change feed is not open yet');
    if (lag > MAX_LAG_MS) throw new Error(`the change feed was last confirmed ${Math.round(lag)} ms ago`);
  },
});
