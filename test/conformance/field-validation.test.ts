import { expect, test } from 'vitest';
import {
  configMap,
  configMaps,
  conformance,
  conformanceWithoutNames,
  createAll,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
} from './conformance.js';

/** Two unknown fields and one that comes twice; the last value of a repeated field counts. */
const QUESTIONABLE = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{
  "replicas":1,"replicas":2,"unknownNested":true,
  "selector":{"matchLabels":{"app":"web"}},
  "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i","foo":1}]}}}}`;

conformanceWithoutNames('Field validation [Field validation]', ({ api, namespace }) => {
  test('Ignore drops unknown and duplicate fields silently', async () => {
    const ns = await namespace();
    const answer = expectStatus(await api.post(`${deployments(ns)}?fieldValidation=Ignore`, QUESTIONABLE), 201);
    expect(answer.warnings).toEqual([]);
    const { spec } = answer.json();
    expect(spec).not.toHaveProperty('unknownNested');
    expect(spec.template.spec.containers[0]).not.toHaveProperty('foo');
    expect(spec.replicas).toBe(2);
  });

  test.each(['', '?fieldValidation=Warn'])('Warn, the default (%j), sends one warning a field', async (query) => {
    const ns = await namespace();
    const answer = expectStatus(await api.post(`${deployments(ns)}${query}`, QUESTIONABLE), 201);
    expect(answer.warnings.sort()).toEqual([
      'duplicate field "spec.replicas"',
      'unknown field "spec.template.spec.containers[0].foo"',
      'unknown field "spec.unknownNested"',
    ]);
  });

  test('Strict refuses with all such fields in the message', async () => {
    const ns = await namespace();
    const status = expectRefusal(
      await api.post(`${deployments(ns)}?fieldValidation=Strict`, QUESTIONABLE),
      400,
      'BadRequest',
    );
    expect(status.message).toMatch(/strict decoding error/);
    for (const field of ['spec.replicas', 'spec.template.spec.containers[0].foo', 'spec.unknownNested']) {
      expect(status.message).toContain(`"${field}"`);
    }
    expectRefusal(await api.get(`${deployments(ns)}/web`), 404, 'NotFound');
  });

  test.each(['Ignore', 'Warn', 'Strict'])('%s: a fatal error is the only one reported', async (level) => {
    const ns = await namespace();
    const body = QUESTIONABLE.replace('"replicas":2', '"replicas":"two"');
    const status = expectRefusal(
      await api.post(`${deployments(ns)}?fieldValidation=${level}`, body),
      400,
      'BadRequest',
    );
    expect(status.message).not.toContain('unknownNested');
    expect(status.message).toContain('replicas');
  });

  test('an unknown level is refused', async () => {
    const ns = await namespace();
    expectRefusal(await api.post(`${configMaps(ns)}?fieldValidation=Loose`, configMap('a')), 422, 'Invalid');
  });

  test('it holds for updates and patches as well', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const body = { ...configMap('a'), extra: 1 };
    expect(expectStatus(await api.put(path, body), 200).warnings).toEqual(['unknown field "extra"']);
    expectRefusal(await api.put(`${path}?fieldValidation=Strict`, body), 400, 'BadRequest');
    expect(expectStatus(await api.patch(path, 'merge', { extra: 1 }), 200).warnings).toEqual(['unknown field "extra"']);
    expect((await api.patch(`${path}?fieldValidation=Strict`, 'merge', { extra: 1 })).status).toBeGreaterThanOrEqual(
      400,
    );
    expectStatus(await api.patch(`${path}?fieldValidation=Ignore`, 'merge', { extra: 1 }), 200);
  });

  test.each([
    ['merge', '{"data":{"a":"1","a":"2"},"x":1}', ['duplicate field "data.a"', 'unknown field "x"']],
    ['strategic-merge', '{"data":{"a":"1","a":"2"},"x":1}', ['duplicate field "data.a"', 'unknown field "x"']],
    [
      'json',
      '[{"op":"test","op":"add","path":"/data/a","value":{"b":1,"b":2}},{"op":"add","path":"/data/a","value":"2","why":1}]',
      [
        'json patch duplicate field "[0].value.b"',
        'json patch duplicate field "[0].op"',
        'json patch unknown field "[1].why"',
      ],
    ],
  ] as const)('what stands twice or has no meaning in a %s patch counts too', async (type, patch, problems) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const send = (query: string) => api.patch(`${path}?${query}`, type, patch);
    const status = expectRefusal(await send('fieldValidation=Strict'), 400, 'BadRequest');
    for (const problem of problems) expect(status.message).toContain(problem);
    expect(expectStatus(await api.get(path), 200).json().data).toEqual({ a: '1' });
    expect([...expectStatus(await send('fieldValidation=Warn'), 200).warnings].sort()).toEqual([...problems].sort());
    expect(expectStatus(await send('fieldValidation=Ignore'), 200).warnings).toEqual([]);
    expect(expectStatus(await api.get(path), 200).json().data).toEqual({ a: '2' });
  });

  test('a patch of a scale is held to the same', async () => {
    const ns = await namespace();
    expectStatus(await api.post(deployments(ns), deployment('web')), 201);
    const patch = '{"spec":{"replicas":2,"replicas":3}}';
    const scale = `${deployments(ns)}/web/scale`;
    expectRefusal(await api.patch(`${scale}?fieldValidation=Strict`, 'merge', patch), 400, 'BadRequest');
    expect(expectStatus(await api.patch(scale, 'merge', patch), 200).warnings).toEqual([
      'duplicate field "spec.replicas"',
    ]);
  });

  test('YAML is held to the same', async () => {
    const ns = await namespace();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: "1"\n  k: "2"\nextra: 1\n';
    const headers = { 'content-type': 'application/yaml' };
    const strict = await api.request('POST', `${configMaps(ns)}?fieldValidation=Strict`, { body, headers });
    expectRefusal(strict, 400, 'BadRequest');
    const warned = expectStatus(await api.request('POST', configMaps(ns), { body, headers }), 201);
    expect(warned.warnings.join('\n')).toMatch(/extra/);
  });

  const TWICE = `apiVersion: v1
kind: ConfigMap
metadata:
  name: twice
data:
  a: "1"
  a: "2"
  b: "1"
  b: |
    2
unknown: 1
`;

  test('YAML tells each key that is already set with its line, in one text where it refuses', async () => {
    const ns = await namespace();
    const headers = { 'content-type': 'application/yaml' };
    const strict = await api.request('POST', `${configMaps(ns)}?fieldValidation=Strict`, { body: TWICE, headers });
    expect(expectRefusal(strict, 400, 'BadRequest').message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map\n  line 9: key "b" already set in map, unknown field "unknown"',
    );
    const warned = expectStatus(await api.request('POST', configMaps(ns), { body: TWICE, headers }), 201);
    expect(warned.warnings).toEqual([
      'line 7: key "a" already set in map',
      'line 9: key "b" already set in map',
      'unknown field "unknown"',
    ]);
    expect(warned.json().data).toEqual({ a: '2', b: '2\n' });
    expect(expectStatus(await api.delete(`${configMaps(ns)}/twice`), 200).status).toBe(200);
    const ignored = await api.request('POST', `${configMaps(ns)}?fieldValidation=Ignore`, { body: TWICE, headers });
    expect(expectStatus(ignored, 201).warnings).toEqual([]);
  });

  test('JSON that comes as YAML is held to the same', async () => {
    const ns = await namespace();
    const headers = { 'content-type': 'application/yaml' };
    const body = '{"metadata":{"name":"a"},\n"data":{"a":"1",\n"a":"2"}}';
    const { warnings } = expectStatus(await api.request('POST', configMaps(ns), { body, headers }), 201);
    expect(warnings).toEqual(['line 3: key "a" already set in map']);
  });

  test('a long document of YAML is read like a short one', async () => {
    const ns = await namespace();
    const headers = { 'content-type': 'application/yaml' };
    const body = `metadata: &m {name: long}\nunused: *m\ndata:\n${Array.from({ length: 2_000 }, (_, i) => `  k${i}: v${i}\n`).join('')}  k1999: last\n`;
    const created = expectStatus(await api.request('POST', configMaps(ns), { body, headers }), 201);
    expect(created.warnings).toEqual(['line 2004: key "k1999" already set in map', 'unknown field "unused"']);
    expect(Object.keys(created.json().data ?? {})).toHaveLength(2_000);
    const broken = await api.request('POST', configMaps(ns), { body: `${body}  : [`, headers });
    expect(expectRefusal(broken, 400, 'BadRequest').message).toMatch(/yaml: line \d+: /);
  });

  test('names of fields match exactly', async () => {
    const ns = await namespace();
    const answer = expectStatus(await api.post(configMaps(ns), { ...configMap('a'), Data: { b: '2' } }), 201);
    expect(answer.warnings).toEqual(['unknown field "Data"']);
    expect(answer.json().data).toEqual({ a: '1' });
  });
});

conformance('Warnings [Deprecation rules]', ({ api, names }) => {
  test('a deprecated version says so, when it goes and what to use', async () => {
    const group = names.group('flowcontrol.apiserver.orch.io');
    const answer = expectStatus(await api.get(`/apis/${group}/v1beta2/flowschemas`), 200);
    expect(answer.warnings).toEqual([
      `${group}/v1beta2 FlowSchema is deprecated in v1.26+, unavailable in v1.29+; use ${group}/v1beta3 FlowSchema`,
    ]);
    expect(expectStatus(await api.get(`/apis/${group}/v1beta3/flowschemas`), 200).warnings).toEqual([]);
  });
});
