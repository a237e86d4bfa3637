import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import { type RequestWorker, withRequests } from '../requests.js';
import { builtInResource, inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { codecMeasurements } from './codecs.js';
import { requestMeasurements } from './requests.js';

const REQUESTERS = 64;

type Load = Pick<RequestLoad, 'verb' | 'prefix' | 'objects' | 'workload'>;

/**
 * Deployments of 5 KiB and Pods of 20 KiB by 64 requesters: made, replaced and, the Deployments, applied. A peer that serves
 * custom resources only has none of it.
 */
export async function workloadStage(settings: StageSettings): Promise<Measurement[]> {
  const { target, run } = settings;
  const { endpoint } = target;
  const place = await inNamespace(endpoint, target.resource, `${run}-workloads`);
  const deployments = await builtInResource(endpoint, place, { apiVersion: 'apps/v1', kind: 'Deployment' });
  const pods = await builtInResource(endpoint, place, { apiVersion: 'v1', kind: 'Pod' });
  const results: Measurement[] = target.own ? codecMeasurements() : [];
  if (!deployments || !pods) return results;
  return withRequests(async (worker) => {
    const loads = loadsOf(worker, settings);
    await loads.warmUp(deployments);
    const made = { workload: 'deployment', objects: REQUESTERS } as const;
    const pod = { workload: 'pod', objects: REQUESTERS } as const;
    results.push(
      ...(await loads.measure('create a Deployment of 5 KiB', deployments, { ...made, verb: 'create', prefix: 'd' })),
      ...(await loads.measure('update a Deployment of 5 KiB', deployments, { ...made, verb: 'update', prefix: 'd' })),
      ...(await loads.measure('create a Pod of 20 KiB', pods, { ...pod, verb: 'create', prefix: 'p' })),
      ...(await loads.measure('update a Pod of 20 KiB', pods, { ...pod, verb: 'update', prefix: 'p' })),
    );
    for (const [verb, what] of APPLIES) {
      const title = `apply a Deployment of 5 KiB, ${what}`;
      results.push(...(await loads.measure(title, deployments, { ...made, verb, prefix: 'a' })));
    }
    return results;
  });
}

const APPLIES = [
  ['apply', 'the first'],
  ['apply-same', 'nothing new'],
  ['apply-field', 'one field'],
] as const;

function loadsOf(worker: RequestWorker, { target, seconds }: StageSettings) {
  const { endpoint, processes } = target;
  const send = (resource: Resource, load: Load, duration = seconds) =>
    worker.call('run', { endpoint, resource, requesters: REQUESTERS, seconds: duration, ...load });
  return {
    /** Warms up this kind: code that is compiled for other kinds says little about it. */
    async warmUp(resource: Resource): Promise<void> {
      const load = { workload: 'deployment', prefix: 'warm', objects: REQUESTERS } as const;
      for (const verb of ['apply', 'update', 'apply-field', 'apply-same'] as const) {
        const { failed } = await send(resource, { ...load, verb }, 2);
        if (failed > 0) throw new Error(`${verb}: ${failed} requests failed`);
      }
    },
    async measure(title: string, resource: Resource, load: Load): Promise<Measurement[]> {
      const before = processes.cpuMicroseconds();
      const result = await send(resource, load);
      return requestMeasurements(title, result, processes.cpuMicroseconds() - before);
    },
  };
}
