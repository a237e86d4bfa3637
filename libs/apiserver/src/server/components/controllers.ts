import { policyController } from '@orch/admission-host';
import { type ControllerGroup, ControllerManager, workQueueMetrics } from '@orch/controllers';
import { certificateRequests, claimController, namespaceControllers, quotaCounts } from '@orch/maintenance';
import type { Component } from '@orch/runtime';
import { LEADERSHIP_MS, Leadership } from '@orch/runtime/work';
import { ControllerClient, type ControllerHost } from '@orch/writing';
import { type ControllerName, runsController } from '../controller-options.js';
import type { ControlPlaneProcess } from './process.js';

/** Name of the lease by which one server of an installation runs all of its controllers. */
const LEASE = 'controllers';

/** Controllers that run within the server, each as its own service account, once all kinds are served. */
export const controllers = (process: ControlPlaneProcess): Component => {
  let running: { readonly manager: ControllerManager; readonly groups: readonly ControllerGroup[] } | undefined;
  return {
    name: 'controllers',
    async start() {
      if (!process.settings.role.housekeeping) return;
      const leadership = new Leadership(process.need('store').lease(LEASE, LEADERSHIP_MS));
      const groups = await groupsOf(process, leadership);
      const { metrics, logger } = process.telling;
      const manager = new ControllerManager(
        groups.flatMap((group) => group.controllers),
        {
          leadership,
          metrics: workQueueMetrics(metrics),
          onError: (error, controller = 'lease of the controllers', key) =>
            logger.error(`controller: ${controller}`, error, key === undefined ? {} : { key }),
        },
      );
      running = { manager, groups };
      for (const group of groups) await group.start?.();
      manager.start();
    },
    async stop(deadline) {
      await running?.manager.stop(deadline);
      for (const group of running?.groups ?? []) await group.stop?.(deadline);
    },
  };
};

async function groupsOf(process: ControlPlaneProcess, leadership: Leadership): Promise<ControllerGroup[]> {
  const { settings, state, telling } = process;
  const host = hostOf(process, leadership);
  const clientOf = (account: string) => new ControllerClient(host, account);
  const runs = (name: ControllerName) => runsController(settings.serving.controllers, name);
  const access = process.need('access');
  const shared = { ...state, ...telling, runs };
  const requests = certificateRequests({
    ...{ ...shared, authorizer: access.authorizer, credentials: process.need('credentials') },
    client: clientOf('certificate-controller'),
    leads: () => leadership.leads,
    longest: settings.serving.clusterSigningDuration,
  });
  const namespaces = await namespacesOf(process, { ...shared, clientOf });
  const roles = runs('clusterrole-aggregation')
    ? { controllers: [access.aggregation(clientOf('clusterrole-aggregation-controller'))] }
    : undefined;
  const quotas = runs('resourcequota') ? quotasOf(process, clientOf('resourcequota-controller')) : undefined;
  // As the server itself, and never switched off: kube-apiserver does these, too.
  const flow = { controllers: process.need('fairness').controllers };
  const definitions = process.need('customResources').controllers();
  const own = [definitions, process.need('aggregated').controllers, flow, claimsOf(process), policiesOf(process)];
  return [requests, namespaces, roles, quotas, ...own].filter((group) => group !== undefined);
}

const hostOf = (process: ControlPlaneProcess, leadership: Leadership): ControllerHost => ({
  term: () => leadership.term,
  ...{ names: process.state.deps.names, pipeline: process.state.deps.pipeline },
  ...{ remover: process.state.deps.remover, store: process.state.store },
  authorizer: process.need('access').authorizer,
  audit: process.need('audit').actions,
});

type Shared = Pick<
  Parameters<typeof namespaceControllers>[0],
  'deps' | 'store' | 'feed' | 'logger' | 'runs' | 'clientOf'
>;

function namespacesOf(process: ControlPlaneProcess, shared: Shared): Promise<ControllerGroup> | undefined {
  const followed = process.need('followed');
  return (
    followed && namespaceControllers({ ...shared, ...parts(process), followed, options: process.settings.serving })
  );
}

const parts = (process: ControlPlaneProcess) => ({
  namespaced: process.need('api').namespaced,
  catchUp: () => process.need('customResources').catchUp(),
});

function quotasOf(process: ControlPlaneProcess, client: ControllerClient): ControllerGroup {
  const { quotas: index, evaluators } = process.need('api');
  const verifyIntervalMs = process.settings.backend.quotaVerifyInterval;
  const { catchUp } = parts(process);
  const shared = { ...process.state, ...process.telling };
  return { controllers: [quotaCounts({ ...shared, index, evaluators, client, verifyIntervalMs, catchUp })] };
}

function claimsOf(process: ControlPlaneProcess): ControllerGroup {
  const { claims, allocators } = process.need('api');
  const { unusedClaimAge } = process.settings.backend;
  return claimController({ ...process.state, ...process.telling, claims, allocators, unusedClaimAge });
}

/** Expressions are checked against kinds. */
function policiesOf(process: ControlPlaneProcess): ControllerGroup | undefined {
  const policies = process.need('policies');
  const { catchUp } = parts(process);
  return policies && { controllers: [policyController({ deps: process.state.deps, policies, catchUp })] };
}
