import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const text = { type: 'string' };
const count = { type: 'integer', format: 'int32' };
const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { ...count, default: 1, minimum: 0, description: 'How large it is.' }, color: text },
    },
    status: { type: 'object', properties: { size: count } },
  },
};
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: SCHEMA },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
      },
    ],
  },
};
const widget = (spec: object) =>
  JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec });

describe.each(['1.27', '1.33'] as const)('custom resources with kubectl %s', (release) => {
  let server: Standalone;
  let kubectl: Kubectl;

  beforeAll(async () => {
    const file = findKubectl(release);
    server = await startStandalone({ naming: 'kubernetes' });
    kubectl = new Kubectl(file, server.kubeconfig);
    await kubectl.ok(['apply', '-f', '-'], { input: JSON.stringify(DEFINITION) });
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=30s']);
  }, KUBECTL_BUILD_MS);
  afterAll(() => server?.stop());

  const apply = (spec: object, ...more: string[]) => kubectl.ok(['apply', ...more, '-f', '-'], { input: widget(spec) });
  const value = (path: string) => kubectl.ok(['get', 'wd', 'w', '-o', `jsonpath={${path}}`]);

  test('are applied from manifests, either way', async () => {
    expect(await apply({ color: 'red' })).toContain('widget.example.com/w created');
    expect(await apply({ color: 'red' })).toContain('unchanged');
    expect(await apply({ color: 'blue', size: 2 })).toContain('configured');
    expect(await apply({ color: 'green' }, '--server-side', '--force-conflicts')).toContain('serverside-applied');
    // What was applied by the client is taken over, and what is not said any more goes: the default comes back.
    expect([await value('.spec.color'), await value('.spec.size')]).toEqual(['green', '1']);
    expect(await kubectl.refused(['apply', '-f', '-'], { input: widget({ nope: 1 }) })).toContain(
      'unknown field "spec.nope"',
    );
    expect(await kubectl.refused(['apply', '-f', '-'], { input: widget({ size: -1 }) })).toContain(
      'spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0',
    );
  });

  test('are shown with the columns of their definition, and explained by its schema', async () => {
    await apply({ color: 'red' });
    expect((await kubectl.ok(['get', 'widgets'])).split('\n').map((line) => line.split(/\s+/)[1])).toEqual(
      expect.arrayContaining(['COLOR', 'red']),
    );
    expect(await kubectl.ok(['get', 'all'])).toContain('widget.example.com/w');
    expect(await kubectl.ok(['explain', 'widget.spec.size'])).toContain('How large it is.');
    expect(await kubectl.ok(['api-resources', '--api-group=example.com'])).toContain('Widget');
  });

  test('are scaled, patched through their status, waited for and deleted', async () => {
    await apply({ color: 'red' });
    await kubectl.ok(['scale', 'widget/w', '--replicas=4']);
    expect(await value('.spec.size')).toBe('4');
    const patch = ['patch', 'wd', 'w', '--subresource=status', '--type=merge', '-p', '{"status":{"size":4}}'];
    await kubectl.ok(patch);
    await kubectl.ok(['wait', '--for=jsonpath={.status.size}=4', 'widget/w', '--timeout=30s']);
    await kubectl.ok(['delete', 'wd', 'w']);
    expect(await kubectl.refused(['get', 'wd', 'w'])).toContain('not found');
  });

  test('go with their definition', async () => {
    await apply({ color: 'red' });
    await kubectl.ok(['delete', 'crd', 'widgets.example.com', '--timeout=30s']);
    expect(await kubectl.refused(['get', 'wd'])).toContain('(NotFound)');
  });
});
