import { Metrics } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import { expect, it } from 'vitest';
import { podResourceMetrics } from './pod-resource-metrics.js';

const pod = (name: string, more: Pod = {}): Pod => ({
  metadata: { name, namespace: 'ns' },
  spec: {
    schedulerName: 's',
    containers: [
      { name: 'a', resources: { requests: { cpu: '250m', memory: '1Ki' }, limits: { cpu: '1' } } },
      { name: 'b', resources: { requests: { cpu: '250m', 'hugepages-2Mi': '2Mi', 'example.com/x': '3' } } },
    ],
    ...more.spec,
  },
  ...(more.status && { status: more.status }),
});

async function lines(...pods: Pod[]): Promise<string[]> {
  const metrics = new Metrics();
  podResourceMetrics(metrics, () => pods);
  const { body } = await metrics.text();
  return body.split('\n').filter((line) => line.startsWith('kube_pod'));
}

it('tells the requests and limits of pods', async () => {
  const initContainers = [{ name: 'i', resources: { requests: { memory: '4Ki' } } }];
  const spec = { priority: 7, nodeName: 'n', initContainers, overhead: { cpu: '100m', memory: '1Ki' } };
  const labels = (resource: string, unit: string) =>
    `{namespace="ns",pod="p",node="n",scheduler="s",priority="7",resource="${resource}",unit="${unit}"}`;
  expect(await lines(pod('p', { spec }))).toEqual([
    `kube_pod_resource_request${labels('cpu', 'cores')} 0.6`,
    `kube_pod_resource_request${labels('memory', 'bytes')} 5120`,
    `kube_pod_resource_request${labels('hugepages-2Mi', 'bytes')} 2097152`,
    `kube_pod_resource_request${labels('example.com/x', '')} 3`,
    `kube_pod_resource_limit${labels('cpu', 'cores')} 1.1`,
  ]);
});

it('leaves out pods that have ended, and those that cannot be read', async () => {
  const ended = pod('ended', { spec: { nodeName: 'n' }, status: { phase: 'Succeeded' } });
  const broken = pod('broken', { spec: { containers: [{ name: 'c', resources: { requests: { cpu: 'x' } } }] } });
  const never = pod('never', { status: { phase: 'Failed' } });
  expect((await lines(ended, broken, never)).every((line) => line.includes('pod="never"'))).toBe(true);
});
