// Checks that read objects which say as little as they may, as programs read them that know the members which are always there.
import assert from 'node:assert/strict';

const LABELS = { matchLabels: { app: 'least' } };
const POD = { containers: [{ name: 'web', image: 'web:1' }] };
const TEMPLATE = { metadata: { labels: { app: 'least' } }, spec: POD };

/** The checks, by their names; `generic` writes objects as they are, without a model that would add to them. */
export function readingChecks({ k8s, config, generic, namespace }) {
  const apiOf = (type) => config.makeApiClient(type);
  const create = (apiVersion, kind, name, more) =>
    generic.create({ apiVersion, kind, metadata: { name, namespace }, ...more });
  const writeStatus = (apiVersion, kind, path, name, status) => {
    const url = `${path}/namespaces/${namespace}/${kind}/${name}/status`;
    return send(k8s, config, url, { apiVersion, status });
  };
  return {
    async 'reads what says little: pods'() {
      const core = apiOf(k8s.CoreV1Api);
      await create('v1', 'Pod', 'least', { spec: POD });
      await writeStatus('v1', 'pods', '/api/v1', 'least', { containerStatuses: [{ name: 'web' }] });
      const { items } = await core.listNamespacedPod({ namespace });
      const pod = items.find(({ metadata }) => metadata.name === 'least');
      assert.equal(pod.spec.containers[0].resources.requests, undefined);
      const [{ state, lastState, ready, restartCount }] = pod.status.containerStatuses;
      assert.deepEqual([state.running, lastState.terminated, ready, restartCount], [undefined, undefined, false, 0]);
    },

    async 'reads what says little: nodes, and what is free of them'() {
      const core = apiOf(k8s.CoreV1Api);
      await generic.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'least' } });
      const node = await core.readNode({ name: 'least' });
      const { nodeInfo, daemonEndpoints } = node.status;
      assert.deepEqual([nodeInfo.kubeletVersion, daemonEndpoints.kubeletEndpoint.Port], ['', 0]);
      const allocatable = { cpu: '4', memory: '8Gi' };
      await send(k8s, config, '/api/v1/nodes/least/status', { status: { allocatable, capacity: allocatable } });
      await create('v1', 'Pod', 'placed', { spec: { ...POD, nodeName: 'least' } });
      const [{ CPU }] = await k8s.topNodes(core);
      assert.deepEqual([Number(CPU.Capacity), Number(CPU.RequestTotal)], [4, 0]);
    },

    async 'reads what says little: policies of networks and of disruptions'() {
      await create('networking.k8s.io/v1', 'NetworkPolicy', 'least', { spec: {} });
      await create('policy/v1', 'PodDisruptionBudget', 'least', {});
      const { items } = await apiOf(k8s.NetworkingV1Api).listNamespacedNetworkPolicy({ namespace });
      assert.deepEqual([items[0].spec.podSelector.matchLabels, items[0].spec.policyTypes], [undefined, ['Ingress']]);
      const budgets = await apiOf(k8s.PolicyV1Api).listNamespacedPodDisruptionBudget({ namespace });
      assert.equal(budgets.items[0].status.disruptionsAllowed + budgets.items[0].status.expectedPods, 0);
    },

    async 'reads what says little: workloads and autoscalers'() {
      await create('apps/v1', 'StatefulSet', 'least', {
        spec: { serviceName: 'least', selector: LABELS, template: TEMPLATE },
      });
      await create('apps/v1', 'DaemonSet', 'least', { spec: { selector: LABELS, template: TEMPLATE } });
      await create('autoscaling/v2', 'HorizontalPodAutoscaler', 'least', {
        spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'least' } },
      });
      const apps = apiOf(k8s.AppsV1Api);
      const set = (await apps.listNamespacedStatefulSet({ namespace })).items[0];
      assert.deepEqual([set.status.replicas, set.status.availableReplicas], [0, 0]);
      assert.deepEqual(set.spec.template.spec.containers[0].resources, new k8s.V1ResourceRequirements());
      const { status } = (await apps.listNamespacedDaemonSet({ namespace })).items[0];
      assert.equal(status.desiredNumberScheduled - status.numberReady + status.numberMisscheduled, 0);
      const scaler = (await apiOf(k8s.AutoscalingV2Api).listNamespacedHorizontalPodAutoscaler({ namespace })).items[0];
      assert.deepEqual([scaler.status.desiredReplicas, scaler.spec.metrics[0].resource.name], [0, 'cpu']);
    },

    async 'reads what says little: events, services and claims'() {
      await create('v1', 'Event', 'least', { involvedObject: { namespace } });
      await create('v1', 'Service', 'least', { spec: { ports: [{ port: 80 }] } });
      await create('v1', 'PersistentVolumeClaim', 'least', {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      const core = apiOf(k8s.CoreV1Api);
      const [event] = (await core.listNamespacedEvent({ namespace })).items.filter(
        ({ metadata }) => metadata.name === 'least',
      );
      assert.deepEqual(
        [event.source.component, event.reportingComponent, event.involvedObject.kind],
        [undefined, '', undefined],
      );
      const service = await core.readNamespacedService({ namespace, name: 'least' });
      assert.equal(service.status.loadBalancer.ingress, undefined);
      const claim = await core.readNamespacedPersistentVolumeClaim({ namespace, name: 'least' });
      assert.equal(claim.status.phase, 'Pending');
    },
  };
}

/** Patches with what is said, and nothing else. */
async function send(k8s, config, path, body) {
  const context = new k8s.RequestContext(`${config.getCurrentCluster().server}${path}`, 'PATCH');
  await config.applySecurityAuthentication(context);
  context.setHeaderParam('Content-Type', k8s.PatchStrategy.MergePatch);
  context.setBody(JSON.stringify(body));
  const answer = await new k8s.IsomorphicFetchHttpLibrary().send(context).toPromise();
  assert.equal(answer.httpStatusCode, 200, await answer.body.text());
}
