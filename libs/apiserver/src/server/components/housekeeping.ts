import { Housekeeping } from '@orch/maintenance';
import { declare, stateOf } from './process.js';

/** Periodic work on rows that are no objects, for the whole installation. */
export const housekeeping = declare({ name: 'housekeeping', needs: ['api', 'store', 'changes'] }, (process) => {
  let running: Housekeeping | undefined;
  return {
    async start() {
      if (!process.settings.role.housekeeping) return;
      const { deps, store } = stateOf(process);
      const { eventTtl } = process.settings.backend;
      running = new Housekeeping({ deps, store, eventTtl, logger: process.logger });
      running.start();
    },
    async stop() {
      await running?.stop();
    },
  };
});
