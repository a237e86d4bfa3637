import { AccessControl } from '@orch/access';
import { openSharedVerdicts } from '@orch/credentials';
import { Fairness, fairnessLimits } from '@orch/fairness';
import type { Component } from '@orch/runtime';
import { observeRedis } from '../../metrics/outside-metrics.js';
import type { ControlPlaneProcess } from './process.js';

/** What webhooks decided, for all processes. */
export const sharedVerdicts = (process: ControlPlaneProcess): Component => ({
  name: 'shared-verdicts',
  async start() {
    const verdicts = await openSharedVerdicts(process.settings.serving, process.logger);
    process.provide({ sharedVerdicts: verdicts });
    observeRedis(process.telling.metrics, { verdicts, rates: process.peek('sharedRates') });
  },
  async stop() {
    process.peek('sharedVerdicts')?.close();
  },
});

/** Who may do what. */
export const access = (process: ControlPlaneProcess): Component => ({
  name: 'access',
  async start() {
    const { settings, features, logger, state } = process;
    const { policy, makeNamespaces } = process.need('api');
    const control = new AccessControl({
      ...{ ...state, policy, makeNamespaces, features, logger },
      options: settings.serving,
      shared: process.need('sharedVerdicts'),
      onAsked: process.need('observation').reviewAsked('authorization'),
      decides: settings.role.housekeeping,
    });
    process.provide({ access: control });
    await control.start();
  },
  async stop() {
    await process.peek('access')?.stop();
  },
});

/** Whose request is next. */
export const fairness = (process: ControlPlaneProcess): Component => ({
  name: 'fairness',
  async start() {
    const { settings, features, state, telling } = process;
    const opened = new Fairness({
      ...{ ...state, ...telling, features },
      limits: fairnessLimits(settings.serving, features),
      decides: settings.role.housekeeping,
    });
    process.provide({ fairness: opened });
    await opened.start();
  },
  async stop() {
    await process.peek('fairness')?.stop();
  },
});
