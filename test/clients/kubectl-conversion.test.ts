import { ConversionServer } from '@orch/webhooks/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sizedWidgets } from '../support/sized-widgets.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const apiVersion = 'apiextensions.k8s.io/v1';
const widget = (version: string, name: string, spec: object) =>
  JSON.stringify({ apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name }, spec });

describe.each(['1.27', '1.33'] as const)('kubectl %s and a kind that a webhook converts', (release) => {
  let server: Standalone;
  let webhook: ConversionServer;
  let kubectl: Kubectl;
  beforeAll(async () => {
    const file = findKubectl(release);
    webhook = await ConversionServer.start();
    server = await startStandalone({ naming: 'kubernetes' });
    kubectl = new Kubectl(file, server.kubeconfig);
    const definition = sizedWidgets({ group: 'example.com', apiVersion }, webhook.conversion());
    await kubectl.ok(['apply', '-f', '-'], { input: JSON.stringify(definition) });
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=30s']);
  }, KUBECTL_BUILD_MS);
  afterAll(async () => {
    await server?.stop();
    await webhook?.close();
  });

  const apply = (input: string, ...more: string[]) => kubectl.ok(['apply', ...more, '-f', '-'], { input });
  const value = (version: string, path: string) =>
    kubectl.ok(['get', `widgets.${version}.example.com`, 'a', '-o', `jsonpath={${path}}`]);

  test('applies and gets objects in both versions, either way', async () => {
    expect(await apply(widget('v1', 'a', { size: 1 }))).toContain('created');
    expect(await value('v2', '.spec.dimension.size')).toBe('1');
    expect(await apply(widget('v2', 'a', { dimension: { size: 2 } }))).toContain('configured');
    expect(await apply(widget('v2', 'a', { dimension: { size: 2 } }))).toContain('unchanged');
    expect(await value('v1', '.spec.size')).toBe('2');
    const force = ['--server-side', '--force-conflicts'];
    expect(await apply(widget('v2', 'a', { dimension: { size: 3 } }), ...force)).toContain('serverside-applied');
    expect(await apply(widget('v1', 'a', { size: 4 }), ...force)).toContain('serverside-applied');
    expect(await value('v2', '.spec.dimension.size')).toBe('4');
    expect(await kubectl.ok(['get', 'widgets.v2.example.com'])).toContain('a');
  });

  test('says why it cannot when the webhook is down, and goes on in the stored version', async () => {
    await apply(widget('v1', 'a', { size: 5 }));
    webhook.fail();
    expect(await kubectl.refused(['get', 'widgets.v2.example.com', 'a'])).toContain(
      'conversion webhook for example.com/v1, Kind=Widget failed: Post',
    );
    expect(await value('v1', '.spec.size')).toBe('5');
    webhook.recover();
    expect(await value('v2', '.spec.dimension.size')).toBe('5');
    await kubectl.ok(['delete', 'widgets.v2.example.com', 'a']);
  });
});
