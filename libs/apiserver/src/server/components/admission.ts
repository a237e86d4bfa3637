import type { Component } from '@orch/runtime';
import { webhookSettings } from '../webhooks.js';
import type { ControlPlaneProcess } from './process.js';

/** Before anything is written: what plugins look up is known then. */
export const admission = (process: ControlPlaneProcess): Component => ({
  name: 'admission',
  async start() {
    const { state, logger } = process;
    const { deps } = state.api;
    const { served, scheme, limits, names } = deps;
    const parts = { served, scheme, maxValues: limits.maxValues + limits.maxOwnedValues };
    const settings = { ...webhookSettings(state.api, process.settings.serving), names };
    await process.need('admissionWebhooks').start(parts, settings);
    const onError = (error: unknown) => logger.error('admission', error);
    await process.need('admission').start({ deps, store: state.store, feed: state.feed, onError });
  },
  async stop() {
    await process.peek('admission')?.stop();
    process.peek('sharedRates')?.close();
    await process.peek('admissionWebhooks')?.close();
  },
});

/** Before anything is written, which is charged to them. */
export const quotas = (process: ControlPlaneProcess): Component => ({
  name: 'quotas',
  async start() {
    const { api, store, feed } = process.state;
    await api.quotas.start({ store, feed, onError: (error) => process.logger.error('quotas', error) });
  },
  async stop() {
    await process.peek('api')?.quotas.stop();
  },
});
