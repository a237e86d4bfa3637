import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../kubectl.js';
import { gatewayApi } from './definitions.js';

const RELEASE = 'v1.5.1';
const CLASSES = 'gateway.networking.k8s.io_gatewayclasses.yaml';
const POLICY = 'gateway.networking.k8s.io_vap_safeupgrades.yaml';
/** Refusals are awaited: a server enforces a policy only once it knows it. */
const WAIT = { timeout: 60_000 };

/** Kinds of its manifest in the version that it names, which came after release 1.27. */
const SERVED = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map(
  (plural) => `admissionregistration.k8s.io/v1/${plural}=true`,
);

describe(`the policy that guards upgrades of Gateway API ${RELEASE}`, () => {
  let server: Standalone;
  let kubectl: Kubectl;
  let definitions: string;
  let older: string;

  beforeAll(async () => {
    const file = findKubectl('1.33');
    definitions = join(gatewayApi(RELEASE), 'config', 'crd');
    older = join(gatewayApi('v1.1.0'), 'config', 'crd');
    server = await startStandalone({
      args: ['--feature-gates=ValidatingAdmissionPolicy=true', `--runtime-config=${SERVED.join(',')}`],
    });
    kubectl = new Kubectl(file, server.kubeconfig);
    await kubectl.ok(['apply', '-f', join(definitions, 'standard', POLICY)]);
  }, KUBECTL_BUILD_MS);
  afterAll(() => server?.stop());

  const refused = async (file: string): Promise<string> => {
    const { code, stderr } = await kubectl.run(['apply', '--server-side', '--force-conflicts', '-f', file]);
    return code === 0 ? '' : stderr;
  };

  test('is applied as it is, and has nothing wrong with its types', async () => {
    await kubectl.ok(['apply', '-f', join(definitions, 'standard', POLICY)]);
    const get = ['get', 'validatingadmissionpolicies.v1.admissionregistration.k8s.io', '-o'];
    expect(await kubectl.ok(get.slice(0, 2))).toMatch(
      /^NAME +VALIDATIONS +PARAMKIND +AGE\nsafe-upgrades\S+ +2 +<unset> /,
    );
    const checked = () => kubectl.ok([...get, 'jsonpath={.items[*].status}']);
    await expect.poll(checked, WAIT).toBe('{"observedGeneration":1,"typeChecking":{}}');
  }, 120_000);

  test('refuses definitions of before, in its words', async () => {
    const asked = () => refused(join(older, 'standard', CLASSES));
    const words = 'Installing CRDs with version before v1.5.0 is prohibited by default.';
    await expect.poll(asked, WAIT).toContain(words);
    expect(await asked()).toContain(`ValidatingAdmissionPolicy 'safe-upgrades.gateway.networking.k8s.io'`);
  }, 120_000);

  test('lets its own pass, and nothing experimental on top of them', async () => {
    expect(await refused(join(definitions, 'standard', CLASSES))).toBe('');
    const words = 'Installing experimental CRDs on top of standard channel CRDs is prohibited by default.';
    expect(await refused(join(definitions, 'experimental', CLASSES))).toContain(words);
  });

  test('has nothing against others', async () => {
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    };
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(definition) });
  });

  test('lets all pass when it is gone', async () => {
    await kubectl.ok(['delete', '-f', join(definitions, 'standard', POLICY)]);
    await expect.poll(() => refused(join(definitions, 'experimental', CLASSES)), WAIT).toBe('');
  }, 120_000);
});
