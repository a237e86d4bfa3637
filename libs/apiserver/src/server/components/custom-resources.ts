import { Webhooks } from '@orch/admission-host';
import { CustomResources } from '@orch/custom-resources';
import { kindSettings } from './api.js';
import { declare, stateOf, tellingOf } from './process.js';

/** Kinds that users bring, and the webhooks that convert them. */
export const customResources = declare(
  {
    name: 'custom-resources',
    needs: ['api', 'store', 'changes', 'observation'],
    later: ['credentials'],
    makes: ['webhooks', 'customResources'],
  },
  (process) => ({
    async start() {
      const { settings } = process;
      const [state, telling] = [stateOf(process), tellingOf(process)];
      const { serving, backend } = settings;
      const webhooks = new Webhooks({
        ...{ deps: state.deps, serving, ...telling },
        // No webhook knows the authority of a certificate that this process made for itself.
        shown: () =>
          serving.proxyClientCertFile === undefined ? undefined : process.peek('credentials')?.current.proxy,
      });
      const resources = new CustomResources({
        ...{ api: state.deps, store: state.store, feed: state.feed, ...telling },
        requestTimeoutMs: serving.requestTimeout,
        kinds: kindSettings(process),
        migrationRate: backend.storageMigrationRate,
        conversions: webhooks.conversions,
      });
      process.provide({ webhooks, customResources: resources });
      process.need('observation').certificateEnds.addSource(() => resources.trusted);
      await resources.start();
    },
    async stop() {
      await process.peek('customResources')?.stop();
      await process.peek('webhooks')?.close();
    },
  }),
);
