import {
  AdmissionControl,
  admissionMetrics,
  admissionWebhooks,
  followPolicies,
  pluginServices,
  webhookSettings,
} from '@orch/admission-host';
import { openSharedRates } from '@orch/credentials';
import { NO_REMOTE_DOCUMENTS } from '@orch/discovery';
import { namesOf } from '@orch/machinery';
import { followForNamespaces } from '@orch/maintenance';
import type { FeatureName } from '@orch/schema';
import { declare, stateOf, tellingOf } from './process.js';

/** Admission plugins, made before the store is opened, so that errors of their configuration are reported first. */
export const plugins = declare(
  {
    name: 'plugins',
    needs: ['observation'],
    later: ['api', 'aggregated'],
    makes: ['sharedRates', 'admissionWebhooks', 'admissionObserver', 'admission', 'followed', 'policies'],
  },
  (process) => ({
    async start() {
      const { features, settings } = process;
      const telling = tellingOf(process);
      const { role, serving } = settings;
      const { metrics, logger } = telling;
      const names = namesOf(serving.naming);
      const observer = admissionMetrics(metrics);
      const sharedRates = await openSharedRates(serving, logger);
      const webhooks = admissionWebhooks(serving, metrics);
      process.need('observation').certificateEnds.look(() => webhooks.trusted());
      process.provide({ sharedRates, admissionWebhooks: webhooks, admissionObserver: observer });
      const isEnabled = (feature: FeatureName) => features.enabled(feature);
      const opened = await AdmissionControl.open({
        ...{ names, isEnabled, observer, logger, options: serving },
        webhooks: (configuration) => webhooks.for(configuration),
        policies: webhooks.forPolicies(),
        services: pluginServices({
          ...{ metrics, sharedRates, onAsked: process.need('observation').reviewAsked('image-policy') },
          deps: () => process.need('api').deps,
          remote: () => process.peek('aggregated')?.documents ?? NO_REMOTE_DOCUMENTS,
        }),
      });
      process.provide({
        admission: opened,
        followed: role.housekeeping ? followForNamespaces(opened) : undefined,
        policies: role.housekeeping ? followPolicies(opened, isEnabled) : undefined,
      });
      await webhooks.readUsers(names);
    },
    async stop() {
      process.peek('sharedRates')?.close();
    },
  }),
);

/** Before anything is written: what plugins look up is known then. */
export const admission = declare(
  { name: 'admission', needs: ['api', 'store', 'changes', 'admission', 'admissionWebhooks'] },
  (process) => ({
    async start() {
      const { logger } = process;
      const state = stateOf(process);
      const { deps } = state;
      const { served, scheme, limits } = deps;
      const parts = { served, scheme, maxValues: limits.maxValues + limits.maxOwnedValues };
      process.need('admissionWebhooks').start(parts, webhookSettings(deps, process.settings.serving));
      const onError = (error: unknown) => logger.error('admission', error);
      await process.need('admission').start({ deps, store: state.store, feed: state.feed, onError });
    },
    async stop() {
      await process.peek('admission')?.stop();
      await process.peek('admissionWebhooks')?.close();
    },
  }),
);

/** Before anything is written, which is charged to them. */
export const quotas = declare({ name: 'quotas', needs: ['api', 'store', 'changes'] }, (process) => ({
  async start() {
    const { store, feed } = stateOf(process);
    await process.need('api').quotas.start({ store, feed, onError: (error) => process.logger.error('quotas', error) });
  },
  async stop() {
    await process.peek('api')?.quotas.stop();
  },
}));
