import { readFile } from 'node:fs/promises';
import { policyController } from '@orch/admission-host';
import { type ControllerGroup, ControllerManager, workQueueMetrics } from '@orch/controllers';
import {
  bootstrapTokenControllers,
  type ControllerName,
  certificateRequests,
  checkNamedControllers,
  claimController,
  namespaceControllers,
  quotaCounts,
  runsController,
  yieldToManager,
} from '@orch/maintenance';
import { LEADERSHIP_MS, Leadership } from '@orch/runtime/work';
import { ControllerClient } from '@orch/writing';
import { localHostOf } from '../local/local-host.js';
import { declare, type Host, stateOf, tellingOf } from './process.js';

/** Name of the lease by which one server of an installation runs all of its controllers. */
const LEASE = 'controllers';

const NEEDS = [
  'api',
  'store',
  'changes',
  'observation',
  'requestMetrics',
  'access',
  'audit',
  'credentials',
  'customResources',
  'aggregated',
  'fairness',
  'followed',
  'policies',
] as const;

type Process = Host<(typeof NEEDS)[number]>;

/** Controllers that run within the server, each as its own service account, once all kinds are served. */
export const controllers = declare({ name: 'controllers', needs: NEEDS }, (process) => {
  let running: { readonly manager: ControllerManager; readonly groups: readonly ControllerGroup[] } | undefined;
  return {
    async start() {
      if (!process.settings.role.housekeeping) return;
      const leadership = new Leadership(process.need('store').lease(LEASE, LEADERSHIP_MS));
      const groups = await groupsOf(process, leadership);
      const { metrics, logger } = tellingOf(process);
      const all = groups.flatMap((group) => group.controllers);
      checkNamedControllers(
        process.settings.serving,
        all.map(({ name }) => name),
      );
      const yielded = yieldToManager({ ...stateOf(process), logger, options: process.settings.serving });
      if (yielded) groups.push(yielded.group);
      const manager = new ControllerManager(all, {
        ...{ leadership, ...(yielded && { yielding: yielded.yielding }) },
        metrics: workQueueMetrics(metrics),
        onError: (error, controller = 'lease of the controllers', key) =>
          logger.error(`controller: ${controller}`, error, key === undefined ? {} : { key }),
      });
      running = { manager, groups };
      for (const group of groups) await group.start?.();
      manager.start();
    },
    async stop(deadline) {
      await running?.manager.stop(deadline);
      for (const group of running?.groups ?? []) await group.stop?.(deadline);
    },
  };
});

async function groupsOf(process: Process, leadership: Leadership): Promise<ControllerGroup[]> {
  const { settings } = process;
  const [state, telling] = [stateOf(process), tellingOf(process)];
  const host = { ...localHostOf(process), term: () => leadership.term };
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
  const tokens = settings.serving.enableBootstrapTokenAuth
    ? bootstrapTokenControllers({ ...shared, clientOf })
    : undefined;
  // As the server itself, and never switched off: kube-apiserver does these, too.
  const flow = { controllers: process.need('fairness').controllers };
  const definitions = process.need('customResources').controllers();
  const own = [definitions, process.need('aggregated').controllers, flow, claimsOf(process), policiesOf(process)];
  return [requests, namespaces, roles, quotas, tokens, ...own].filter((group) => group !== undefined);
}

type Shared = Pick<
  Parameters<typeof namespaceControllers>[0],
  'deps' | 'store' | 'feed' | 'logger' | 'runs' | 'clientOf'
>;

async function namespacesOf(process: Process, shared: Shared): Promise<ControllerGroup | undefined> {
  const followed = process.need('followed');
  const rootCa = await rootCaOf(process);
  return (
    followed &&
    namespaceControllers({ ...shared, ...parts(process), followed, ...(rootCa !== undefined && { rootCa }) })
  );
}

/** Returns the authorities with which pods verify the API. @throws Error for an unreadable file */
async function rootCaOf({ settings, need }: Process): Promise<string | undefined> {
  const { rootCaFile } = settings.serving;
  if (rootCaFile !== undefined) return readFile(rootCaFile, 'utf8');
  return settings.role.publishesAuthority ? need('credentials').current.servingCa : undefined;
}

const parts = (process: Process) => ({
  namespaced: process.need('api').namespaced,
  catchUp: () => process.need('customResources').catchUp(),
});

function quotasOf(process: Process, client: ControllerClient): ControllerGroup {
  const { quotas: index, evaluators } = process.need('api');
  const verifyIntervalMs = process.settings.backend.quotaVerifyInterval;
  const { catchUp } = parts(process);
  const shared = { ...stateOf(process), ...tellingOf(process) };
  return { controllers: [quotaCounts({ ...shared, index, evaluators, client, verifyIntervalMs, catchUp })] };
}

function claimsOf(process: Process): ControllerGroup {
  const { claims, allocators } = process.need('api');
  const { unusedClaimAge } = process.settings.backend;
  return claimController({ ...stateOf(process), ...tellingOf(process), claims, allocators, unusedClaimAge });
}

/** Expressions are checked against kinds. */
function policiesOf(process: Process): ControllerGroup | undefined {
  const policies = process.need('policies');
  const { catchUp } = parts(process);
  return policies && { controllers: [policyController({ deps: stateOf(process).deps, policies, catchUp })] };
}
