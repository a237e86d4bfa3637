import { AccessControl } from '@orch/access';
import { openSharedVerdicts } from '@orch/credentials';
import { Fairness, fairnessLimits } from '@orch/fairness';
import type { HealthCheck } from '@orch/runtime';
import { observeRedis } from '../../metrics/outside-metrics.js';
import { declare, type Host, stateOf, tellingOf } from './process.js';

/** Verdicts of webhooks, shared by all processes. */
export const sharedVerdicts = declare(
  { name: 'shared-verdicts', needs: ['observation', 'sharedRates'], makes: ['sharedVerdicts'] },
  (process) => ({
    async start() {
      const verdicts = await openSharedVerdicts(process.settings.serving, process.logger);
      process.provide({ sharedVerdicts: verdicts });
      observeRedis(tellingOf(process).metrics, { verdicts, rates: process.peek('sharedRates') });
    },
    async stop() {
      process.peek('sharedVerdicts')?.close();
    },
  }),
);

/** Authorization of requests. */
export const access = declare(
  { name: 'access', needs: ['api', 'store', 'changes', 'observation', 'sharedVerdicts'], makes: ['access'] },
  (process) => {
    process.health.add(policyCheck(process), 'readyz', 'healthz');
    return {
      async start() {
        const { settings, features, logger } = process;
        const state = stateOf(process);
        const { policy, makeNamespaces } = process.need('api');
        const control = new AccessControl({
          ...{ ...state, policy, makeNamespaces, features, logger },
          options: settings.serving,
          shared: process.need('sharedVerdicts'),
          onReview: process.need('observation').reviewAsked('authorization'),
          decides: settings.role.housekeeping,
        });
        process.provide({ access: control });
        await control.start();
      },
      async stop() {
        await process.peek('access')?.stop();
      },
    };
  },
);

/** Fails until all roles and bindings are known, those among them that every installation has. */
const policyCheck = ({ peek }: Pick<Host<never, 'access'>, 'peek'>): HealthCheck => ({
  name: 'poststarthook/rbac/bootstrap-roles',
  check() {
    if (!peek('access')?.isReady) throw new Error('roles and bindings are not known yet');
  },
});

/** Priority and fairness: decides which request is executed next. */
export const fairness = declare(
  { name: 'fairness', needs: ['api', 'store', 'changes', 'observation'], makes: ['fairness'] },
  (process) => ({
    async start() {
      const { settings, features } = process;
      const [state, telling] = [stateOf(process), tellingOf(process)];
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
  }),
);
