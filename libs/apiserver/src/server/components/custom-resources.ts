import { Webhooks } from '@orch/admission-host';
import { CustomResources } from '@orch/custom-resources';
import type { Component } from '@orch/runtime';
import { kindSettings } from './api.js';
import type { ControlPlaneProcess } from './process.js';

/** Kinds that users bring, and the webhooks that convert them. */
export const customResources = (process: ControlPlaneProcess): Component => ({
  name: 'custom-resources',
  async start() {
    const { settings, state, telling } = process;
    const { serving, backend } = settings;
    const webhooks = new Webhooks({
      ...{ deps: state.deps, serving, ...telling },
      // One that this process made for itself would say nothing to anybody.
      shown: () => (serving.proxyClientCertFile === undefined ? undefined : process.peek('credentials')?.current.proxy),
    });
    const resources = new CustomResources({
      ...{ api: state.deps, store: state.store, feed: state.feed, ...telling },
      requestTimeoutMs: serving.requestTimeout,
      kinds: kindSettings(process),
      migrationRate: backend.storageMigrationRate,
      conversions: webhooks.conversions,
    });
    process.provide({ webhooks, customResources: resources });
    process.need('observation').certificateEnds.look(() => resources.trusted);
    await resources.start();
  },
  async stop() {
    await process.peek('customResources')?.stop();
    await process.peek('webhooks')?.close();
  },
});
