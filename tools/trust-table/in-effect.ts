import { setTimeout as pause } from 'node:timers/promises';
import type { Transport } from '@orch/client';

const LOOK_MS = 200;
const LIMIT_MS = 60_000;
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
/** A URL at which no server listens. */
const NOBODY = 'https://127.0.0.1:1/';

/** Waits until something is so. @throws Error after a minute */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within a minute: ${what}`);
    await pause(LOOK_MS);
  }
}

/**
 * Creates a configuration of webhooks and waits until the server applies it. An additional webhook whose URL is not
 * served shows that: all webhooks of a configuration take effect at once.
 */
export async function install(transport: Transport, name: string, webhooks: readonly object[]): Promise<void> {
  const sign = {
    name: 'sign.example.com',
    clientConfig: { url: NOBODY },
    rules: RULES,
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], objectSelector: { matchLabels: { sign: name } } },
  };
  await post(transport, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [...webhooks, sign],
  });
  const asked = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sign', labels: { sign: name } } };
  const passes = () => post(transport, '/api/v1/namespaces/trust/configmaps?dryRun=All', asked).then(() => true);
  await until(`the webhooks of ${name} are asked`, async () => !(await passes().catch(() => false)));
}

const post = (transport: Transport, path: string, body: object) =>
  transport.request('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
