import { expect, test } from 'vitest';
import { conformance, conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

conformance('An event, as its group calls its fields [Errors]', ({ api, names, namespace }) => {
  const at = '2026-01-01T00:00:00.000000Z';

  test('the reporter has the name of the version that was sent', async () => {
    const ns = await namespace();
    const group = names.group('events.orch.io');
    for (const [path, field] of [
      [`/api/v1/namespaces/${ns}/events`, 'reportingComponent'],
      [`/apis/${group}/v1/namespaces/${ns}/events`, 'reportingController'],
    ] as const) {
      const about = field === 'reportingComponent' ? 'involvedObject' : 'regarding';
      const event = {
        metadata: { name: 'e' },
        eventTime: at,
        type: 'Normal',
        reason: 'r',
        action: 'a',
        reportingInstance: 'i',
        [about]: { namespace: ns },
      };
      const { details } = expectRefusal(await api.post(path, event), 422, 'Invalid');
      expect(details?.causes).toEqual([
        { reason: 'FieldValueRequired', message: 'Required value', field },
        expect.objectContaining({ field }),
        expect.objectContaining({ field }),
      ]);
      const wrong = expectRefusal(await api.post(path, { ...event, [field]: 'a b' }), 422, 'Invalid');
      expect(wrong.details?.causes?.map((cause) => cause.field)).toEqual([field]);
    }
  });

  test('and selectors find it by that name', async () => {
    const ns = await namespace();
    const core = `/api/v1/namespaces/${ns}/events`;
    const own = `/apis/${names.group('events.orch.io')}/v1/namespaces/${ns}/events`;
    const event = {
      metadata: { name: 'e' },
      involvedObject: { namespace: ns },
      eventTime: at,
      reason: 'r',
      action: 'a',
      reportingComponent: 'example.com/me',
      reportingInstance: 'i',
    };
    expectStatus(await api.post(core, event), 201);
    for (const [path, field, other] of [
      [core, 'reportingComponent', 'reportingController'],
      [own, 'reportingController', 'reportingComponent'],
    ]) {
      const found = expectStatus(await api.get(`${path}?fieldSelector=${field}%3Dexample.com%2Fme`), 200).json();
      expect(found.items).toHaveLength(1);
      expect(found.items[0][String(field)]).toBe('example.com/me');
      const refused = expectRefusal(await api.get(`${path}?fieldSelector=${other}%3Dx`), 400, 'BadRequest');
      expect(refused.message).toBe(`field label not supported: ${other}`);
    }
  });
});

conformanceWithoutNames('A disruption budget [Errors]', ({ api, namespace }) => {
  test('with both limits', async () => {
    const ns = await namespace();
    const spec = { minAvailable: 1, maxUnavailable: '50%', selector: { matchLabels: { a: 'b' } } };
    const answer = await api.post(`/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`, {
      metadata: { name: 'b' },
      spec,
    });
    expect(expectRefusal(answer, 422, 'Invalid').message).toMatch(
      /^PodDisruptionBudget\.policy "b" is invalid: spec: Invalid value: policy\.PodDisruptionBudgetSpec\{MinAvailable:\(\*intstr\.IntOrString\)\(0x[0-9a-f]+\), Selector:\(\*v1\.LabelSelector\)\(0x[0-9a-f]+\), MaxUnavailable:\(\*intstr\.IntOrString\)\(0x[0-9a-f]+\), UnhealthyPodEvictionPolicy:\(\*policy\.UnhealthyPodEvictionPolicyType\)\(nil\)\}: minAvailable and maxUnavailable cannot be both set$/,
    );
  });
});

conformance('A definition of custom resources [Errors]', ({ api, names }) => {
  const group = names.group('apiextensions.orch.io');
  const definitions = `/apis/${group}/v1/customresourcedefinitions`;
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = { name: 'v1', served: true, storage: true, schema };
  const definition = (spec: object, name = 'widgets.example.com') => ({
    apiVersion: `${group}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version],
      ...spec,
    },
  });
  const refused = async (object: object) => {
    const status = expectRefusal(await api.post(`${definitions}?dryRun=All`, object), 422, 'Invalid');
    return (status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  };

  test('without anything', async () => {
    expect(await refused({ metadata: { name: 'widgets.example.com' }, spec: {} })).toEqual([
      'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
      'spec.group: Required value',
      'spec.scope: Required value',
      expect.stringMatching(
        /^spec\.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
      ),
      'spec.names.plural: Required value',
      'spec.names.singular: Required value',
      'spec.names.kind: Required value',
      'spec.names.listKind: Required value',
      'status.storedVersions: Invalid value: []string{}: must have at least one stored version',
    ]);
  });

  test.each<[string, object, string[]]>([
    ['another name', { group: 'example.org' }, ['must be spec.names.plural+"."+spec.group']],
    [
      'no schema',
      { versions: [{ ...version, schema: undefined }] },
      ['spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required'],
    ],
    [
      'two stored versions of one name',
      { versions: [version, version] },
      ['must contain unique version names', 'must have exactly one version marked as storage version'],
    ],
    ['a scope that there is not', { scope: 'Galaxy' }, ['spec.scope: Unsupported value: "Galaxy"']],
    [
      'words that are none',
      { names: { plural: 'widgets', kind: 'W_', listKind: 'W_', shortNames: ['A'], categories: ['-'] } },
      [
        'spec.names.singular: Invalid value: "w_"',
        'spec.names.kind: Invalid value: "W_": may have mixed case, but should otherwise match: a DNS-1035 label',
        'spec.names.listKind: Invalid value: "W_": may have mixed case',
        'spec.names.shortNames[0]',
        'spec.names.listKind: Invalid value: "W_": kind and listKind may not be the same',
        'spec.names.categories[0]',
      ],
    ],
    [
      'a column without anything',
      { versions: [{ ...version, additionalPrinterColumns: [{}] }] },
      [
        'spec.additionalPrinterColumns[0].name: Required value',
        'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Required value',
      ],
    ],
    [
      'a scale without paths, in one of two versions',
      { versions: [version, { ...version, name: 'v2', storage: false, subresources: { scale: {} } }] },
      [
        'spec.versions[1].subresources.scale.specReplicasPath: Required value',
        'spec.versions[1].subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'a webhook without a client',
      { conversion: { strategy: 'Webhook' } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
    ['unknown fields kept', { preserveUnknownFields: true }, ['spec.preserveUnknownFields: Invalid value: true']],
  ])('with %s', async (_what, spec, causes) => {
    const found = await refused(definition(spec));
    expect(found).toHaveLength(causes.length);
    for (const [index, cause] of causes.entries()) expect(found[index]).toContain(cause);
  });

  test('that is whole, and what of it may not change', async () => {
    expectStatus(await api.post(definitions, definition({})), 201);
    const path = `${definitions}/widgets.example.com`;
    try {
      const plural = { spec: { names: { plural: 'others' } } };
      expect(expectRefusal(await api.patch(path, 'merge', plural), 422, 'Invalid').message).toContain(
        'spec.names.plural: Invalid value: "others": field is immutable',
      );
      expectStatus(await api.patch(path, 'merge', { spec: { names: { shortNames: ['wd'] } } }), 200);
    } finally {
      await api.delete(path);
    }
  });
});
