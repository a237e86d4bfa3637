import { AggregatedApis } from '@orch/aggregation';
import { declare, stateOf, tellingOf } from './process.js';

/** Group-versions that other servers serve (APIServices). */
export const aggregatedApis = declare(
  {
    name: 'aggregated-apis',
    needs: ['api', 'store', 'changes', 'observation', 'credentials', 'customResources'],
    makes: ['aggregated'],
  },
  (process) => ({
    async start() {
      const { settings } = process;
      const [state, telling] = [stateOf(process), tellingOf(process)];
      const aggregated = new AggregatedApis({
        ...{ ...state, ...telling },
        serving: settings.serving,
        credentials: process.need('credentials'),
        isPartial: () => process.need('customResources').isPartial,
        decides: settings.role.housekeeping,
      });
      process.provide({ aggregated });
      process.need('observation').certificateEnds.addSource(() => aggregated.trusted);
      await aggregated.start();
    },
    async stop() {
      await process.peek('aggregated')?.stop();
    },
  }),
);
