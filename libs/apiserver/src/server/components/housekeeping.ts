import { Housekeeping } from '@orch/maintenance';
import { declare, stateOf, tellingOf } from './process.js';

/** Periodic work on rows that are no objects, for the whole installation. */
export const housekeeping = declare(
  { name: 'housekeeping', needs: ['api', 'store', 'changes', 'observation'] },
  (process) => {
    let running: Housekeeping | undefined;
    return {
      async start() {
        if (!process.settings.role.housekeeping) return;
        const { deps, store } = stateOf(process);
        const { claims, allocators } = process.need('api');
        running = new Housekeeping({
          ...{ deps, claims, allocators, store, ...tellingOf(process) },
          times: process.settings.backend,
        });
        running.start();
      },
      async stop() {
        await running?.stop();
      },
    };
  },
);
