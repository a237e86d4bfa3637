import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

/**
 * Revisions, as controllers would create them: a ReplicaSet for each of a Deployment, a ControllerRevision of others.
 */
const REVISIONS = [1, 2, 3] as const;
const LATEST = 3;
const LABELS = { app: 'web' };
const selector = { matchLabels: LABELS };
const templateOf = (revision: number, more: object = {}) => ({
  metadata: { labels: { ...LABELS, ...more } },
  spec: { containers: [{ name: 'web', image: `web:${revision}` }] },
});
const REVISION = 'deployment.kubernetes.io/revision';
const CAUSE = 'kubernetes.io/change-cause';

const WORKLOADS = {
  Deployment: { spec: { replicas: 2, selector, template: templateOf(LATEST) } },
  DaemonSet: { spec: { selector, template: templateOf(LATEST) } },
  StatefulSet: { spec: { replicas: 2, serviceName: 's', selector, template: templateOf(LATEST) } },
} as const;
type Kind = keyof typeof WORKLOADS;

/** A status of which everything is rolled out. */
const ROLLED_OUT: Readonly<Record<Kind, object>> = {
  Deployment: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
  DaemonSet: {
    desiredNumberScheduled: 1,
    currentNumberScheduled: 1,
    numberMisscheduled: 0,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
  },
  StatefulSet: {
    replicas: 2,
    readyReplicas: 2,
    currentReplicas: 2,
    updatedReplicas: 2,
    currentRevision: 'r',
    updateRevision: 'r',
  },
};

describe.each(['1.27', '1.33'] as const)('kubectl %s rollout', (release) => {
  let server: Standalone;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startStandalone({ naming: 'kubernetes' });
    kubectl = new Kubectl(findKubectl(release), server.kubeconfig);
    for (const kind of Object.keys(WORKLOADS) as Kind[]) await makeWithHistory(kind);
  }, KUBECTL_BUILD_MS);
  afterAll(() => server?.stop());

  const create = async (object: object) =>
    JSON.parse(await kubectl.ok(['create', '-f', '-', '-o', 'json'], { input: JSON.stringify(object) }));
  const live = async (name: string) => JSON.parse(await kubectl.ok(['get', name, '-o', 'json']));
  const imageOf = async (name: string) => (await live(name)).spec.template.spec.containers[0].image;

  async function makeWithHistory(kind: Kind): Promise<void> {
    const metadata = { name: 'web', labels: LABELS, annotations: { [REVISION]: String(LATEST) } };
    const owner = await create({ apiVersion: 'apps/v1', kind, metadata, ...WORKLOADS[kind] });
    const ownerReferences = [{ apiVersion: 'apps/v1', kind, name: 'web', uid: owner.metadata.uid, controller: true }];
    for (const revision of REVISIONS) {
      const name = `${kind.toLowerCase()}-${revision}`;
      const annotations = { [REVISION]: String(revision), [CAUSE]: `cause ${revision}` };
      const base = { apiVersion: 'apps/v1', metadata: { name, labels: LABELS, annotations, ownerReferences } };
      if (kind === 'Deployment') {
        const hash = { 'pod-template-hash': String(revision) };
        const spec = {
          replicas: 0,
          selector: { matchLabels: { ...LABELS, ...hash } },
          template: templateOf(revision, hash),
        };
        const labels = { ...LABELS, ...hash };
        await create({ ...base, kind: 'ReplicaSet', metadata: { ...base.metadata, labels }, spec });
      } else {
        const data = { spec: { template: { $patch: 'replace', ...templateOf(revision) } } };
        await create({ ...base, kind: 'ControllerRevision', revision, data });
      }
    }
  }

  describe.each(Object.keys(WORKLOADS) as Kind[])('of a %s', (kind) => {
    const name = `${kind.toLowerCase()}/web`;

    test('history lists revisions and shows one', async () => {
      const listed = await kubectl.ok(['rollout', 'history', name]);
      expect(
        listed
          .split('\n')
          .filter((line) => /^\d/.test(line))
          .map((line) => line.replace(/\s+/g, ' ').trim()),
      ).toEqual(REVISIONS.map((revision) => `${revision} cause ${revision}`));
      expect(await kubectl.ok(['rollout', 'history', name, '--revision=2'])).toMatch(/Image:\s+web:2/);
      expect(await kubectl.refused(['rollout', 'history', name, '--revision=9'])).toContain('unable to find');
    });

    test('undo goes to the one before, or to one that is named', async () => {
      await kubectl.ok(['rollout', 'undo', name]);
      expect(await imageOf(name)).toBe('web:2');
      await kubectl.ok(['rollout', 'undo', name, '--to-revision=1']);
      expect(await imageOf(name)).toBe('web:1');
      expect(await kubectl.ok(['rollout', 'undo', name, '--to-revision=1'])).toMatch(/rolled back|skipped rollback/);
      await kubectl.ok(['rollout', 'undo', name, '--to-revision=3', '--dry-run=server']);
      expect(await imageOf(name), 'a dry run').toBe('web:1');
    });

    test('restart notes the time in the template', async () => {
      const { generation } = (await live(name)).metadata;
      await kubectl.ok(['rollout', 'restart', name]);
      const after = await live(name);
      expect(after.spec.template.metadata.annotations).toHaveProperty(['kubectl.kubernetes.io/restartedAt']);
      expect(after.metadata.generation).toBe(generation + 1);
    });

    test('status follows what the status says', async () => {
      const waiting = await kubectl.run(['rollout', 'status', name, '--timeout=3s']);
      expect(waiting.code).not.toBe(0);
      expect(waiting.stdout).toMatch(/Waiting for/i);
      const watching = kubectl.until(['rollout', 'status', name], (text) =>
        /successfully rolled out|complete/.test(text),
      );
      const { generation } = (await live(name)).metadata;
      const status = { ...ROLLED_OUT[kind], observedGeneration: generation };
      const patch = ['patch', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
      await kubectl.ok(patch);
      expect(await watching).toMatch(/successfully rolled out|complete/);
    });
  });

  test('a paused Deployment is not rolled back, a resumed one is', async () => {
    const name = 'deployment/web';
    await kubectl.ok(['rollout', 'pause', name]);
    expect((await live(name)).spec.paused).toBe(true);
    expect(await kubectl.refused(['rollout', 'pause', name])).toContain('is already paused');
    expect(await kubectl.refused(['rollout', 'undo', name])).toContain('cannot rollback a paused deployment');
    expect(await kubectl.refused(['rollout', 'restart', name])).toContain("can't restart paused deployment");
    await kubectl.ok(['rollout', 'resume', name]);
    expect((await live(name)).spec).not.toHaveProperty('paused');
    expect(await kubectl.refused(['rollout', 'resume', name])).toContain('is not paused');
    expect(await kubectl.ok(['rollout', 'undo', name, '--to-revision=3'])).toContain('rolled back');
    expect(await imageOf(name)).toBe('web:3');
  });
});
