import { openChangeFeed } from '../change-feed.js';
import { declare } from './process.js';

/** Changes, of this process and of others. */
export const feed = declare({ name: 'feed', needs: ['store', 'observation'], makes: ['changes'] }, (process) => ({
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
}));
