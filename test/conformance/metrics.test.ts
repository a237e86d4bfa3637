import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { conformance, expectStatus } from './conformance.js';

const POLL = { timeout: 20_000, interval: 50 };
const REFERENCE = new URL('../../docs/reference.md', import.meta.url);

interface Described {
  readonly type: string;
  readonly stability: string;
  readonly help: string;
}

/** Row of a metric; a hidden metric has `(deprecated …, hidden)`. */
const ROW =
  /^\| `([a-z_0-9]+)` \| (counter|gauge|histogram) \| (\w*) \| .*? \| (.*?)( \(deprecated since [\d.]+(, hidden)?\))? \|$/;

function onThePage(): Map<string, Described> {
  // Those of other commands follow.
  const [page = ''] = readFileSync(REFERENCE, 'utf8').split('### Metrics of orch scheduler');
  const rows = page
    .split('\n')
    .map((line) => ROW.exec(line))
    .filter((row) => row !== null && row[6] === undefined);
  return new Map(
    rows.map((row) => {
      const [, name = '', type = '', stability = '', help = ''] = row ?? [];
      return [name, { type, stability, help }];
    }),
  );
}

function inAnswer(text: string): [name: string, Described][] {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  return [...text.matchAll(/^# HELP (\S+) (?:\[(\w+)\] )?(?:\(Deprecated since \S+\) )?(.*)$/gm)].map(
    ([, name = '', stability = '', help = '']) => [name, { type: types.get(name) ?? '', stability, help }],
  );
}

conformance('Metrics [Monitoring]', ({ api, names }) => {
  test('are those that the reference lists', async () => {
    const answers = await Promise.all(['/metrics', '/metrics/slis'].map((path) => api.get(path)));
    const served = new Map(answers.flatMap((answer) => inAnswer(expectStatus(answer, 200).text)));
    const listed = onThePage();
    expect(listed.size).toBeGreaterThan(100);
    expect([...served.keys()].sort()).toEqual([...listed.keys()].sort());
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(listed));
  });

  test('tell when authorities in objects end, for as long as they are there', async () => {
    const [pem = ''] = rootCertificates;
    const end = Date.parse(new X509Certificate(pem).validTo) / 1000;
    const clientConfig = { url: 'https://bundles.example.com', caBundle: Buffer.from(pem).toString('base64') };
    const { caBundle } = clientConfig;
    const group = 'bundles.example.com';
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const objects = {
      [`/apis/${names.group('admissionregistration.orch.io')}/v1/validatingwebhookconfigurations`]: {
        metadata: { name: 'bundles' },
        webhooks: [{ name: `a.${group}`, clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
      },
      [`/apis/${names.group('apiregistration.orch.io')}/v1/apiservices`]: {
        metadata: { name: `v1.away.${group}` },
        spec: {
          ...{ group: `away.${group}`, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, caBundle },
          service: { namespace: 'default', name: 'bundles' },
        },
      },
      [`/apis/${names.group('apiextensions.orch.io')}/v1/customresourcedefinitions`]: {
        metadata: { name: `bundled.${group}` },
        spec: {
          ...{ group, scope: 'Namespaced', names: { plural: 'bundled', kind: 'Bundled' } },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
          conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
        },
      },
    };
    const told = async () =>
      [...(await api.get('/metrics')).text.matchAll(/^orch_certificate_expiry_.*"ca-bundle",file="(.*?)"} (\S+)$/gm)]
        .map(([, file = '', at]) => [file, Number(at)])
        .filter(([file]) => String(file).includes('bundle'));
    for (const [path, object] of Object.entries(objects)) expectStatus(await api.post(path, object), 201);
    await expect
      .poll(async () => Object.fromEntries(await told()), POLL)
      .toEqual({
        [`validatingwebhookconfigurations/bundles/a.${group}`]: end,
        [`apiservices/v1.away.${group}`]: end,
        [`customresourcedefinitions/bundled.${group}`]: end,
      });
    for (const [path, { metadata }] of Object.entries(objects))
      expectStatus(await api.delete(`${path}/${metadata.name}`), 200);
    await expect.poll(told, POLL).toEqual([]);
  });
});
