import { decodeProtobufObject } from '@orch/codec';
import { loadScheme } from '@orch/schema';
import { expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformance,
  conformanceWithoutNames,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
  list,
} from './conformance.js';

/** Formats managed fields without times: `manager operation[/subresource]`, with the fields. */
const ownersOf = ({ metadata }: ApiObject) =>
  Object.fromEntries(
    (metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
      `${manager} ${operation}${subresource ? `/${subresource}` : ''}`,
      fieldsV1,
    ]),
  );

const applied = (data: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...more },
  data,
});
const fieldsOf = (...keys: string[]) => ({ 'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) });
const AGENT = { 'user-agent': 'test-client/1.0 (some; where)' };

conformanceWithoutNames('Apply [Server-side apply]', ({ api, namespace }) => {
  test('creates an object, owned field by field; the same again writes nothing', async () => {
    const path = `${configMaps(await namespace())}/a`;
    const created = expectStatus(await api.apply(path, 'one', applied({ x: '1', y: '2' })), 201).json();
    expect(created.data).toEqual({ x: '1', y: '2' });
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: 'FieldsV1',
        fieldsV1: fieldsOf('x', 'y'),
      },
    ]);
    const again = expectStatus(await api.apply(path, 'one', applied({ x: '1', y: '2' })), 200).json();
    expect(again).toEqual(created);
    expect(expectStatus(await api.get(path), 200).json()).toEqual(created);
  });

  test('takes YAML, and says which fields stand twice in it', async () => {
    const path = `${configMaps(await namespace())}/a`;
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n';
    expect(expectStatus(await api.apply(path, 'one', text), 201).json().data).toEqual({ x: '1' });
    const twice = `${text}  x: "2"\n`;
    const strict = await api.apply(path, 'one', twice, '&fieldValidation=Strict');
    expect(expectRefusal(strict, 400, 'BadRequest').message).toContain('"x" already set');
    const warned = expectStatus(await api.apply(path, 'one', twice), 200);
    expect(warned.warnings.join()).toContain('"x" already set');
    expect(warned.json().data).toEqual({ x: '2' });
    expect(expectStatus(await api.apply(path, 'one', twice, '&fieldValidation=Ignore'), 200).warnings).toEqual([]);
  });

  test('is a conflict where somebody else owns the field, unless it is forced', async () => {
    const path = `${configMaps(await namespace())}/a`;
    expectStatus(await api.apply(path, 'one', applied({ x: '1', y: '1' })), 201);
    const refused = expectRefusal(await api.apply(path, 'two', applied({ x: '2', z: '2' })), 409, 'Conflict');
    expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.x');
    expect(refused.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
    ]);
    expect(expectStatus(await api.get(path), 200).json().data).toEqual({ x: '1', y: '1' });
    const forced = expectStatus(await api.apply(path, 'two', applied({ x: '2', z: '2' }), '&force=true'), 200).json();
    expect(forced.data).toEqual({ x: '2', y: '1', z: '2' });
    expect(ownersOf(forced)).toEqual({ 'one Apply': fieldsOf('y'), 'two Apply': fieldsOf('x', 'z') });
  });

  test('of the same value shares the field; of a config without it gives it up', async () => {
    const path = `${configMaps(await namespace())}/a`;
    expectStatus(await api.apply(path, 'one', applied({ x: '1', y: '1' })), 201);
    const shared = expectStatus(await api.apply(path, 'two', applied({ x: '1' })), 200).json();
    expect(ownersOf(shared)).toEqual({ 'one Apply': fieldsOf('x', 'y'), 'two Apply': fieldsOf('x') });
    const given = expectStatus(await api.apply(path, 'one', applied({})), 200).json();
    expect(given.data, 'what nobody else owns is gone').toEqual({ x: '1' });
    expect(ownersOf(given)).toEqual({ 'one Apply': { 'f:data': {} }, 'two Apply': fieldsOf('x') });
  });

  test('needs a manager, no owners in the body, and the version, kind and name of the path', async () => {
    const path = `${configMaps(await namespace())}/a`;
    const required = expectRefusal(await api.apply(path, '', applied({})), 422, 'Invalid');
    expect(required.details?.causes?.[0]).toMatchObject({ field: 'fieldManager' });
    const owned = applied({}, { managedFields: [{ manager: 'x' }] });
    expect(expectRefusal(await api.apply(path, 'one', owned), 400, 'BadRequest').message).toBe(
      'metadata.managedFields must be nil',
    );
    const versions: [string | undefined, RegExp][] = [
      ['apps/v1', /^Incorrect version specified in apply patch\. Specified patch version: apps\/v1, expected: v1$/],
      [undefined, /./],
    ];
    for (const [apiVersion, message] of versions) {
      const refused = await api.apply(path, 'one', { ...applied({}), apiVersion });
      expect(expectRefusal(refused, 400, 'BadRequest').message).toMatch(message);
    }
    expectRefusal(await api.apply(path, 'one', { ...applied({}), kind: 'Secret' }), 400, 'BadRequest');
    expectRefusal(await api.apply(path, 'one', applied({}, { name: 'b' })), 400, 'BadRequest');
    expectRefusal(await api.apply(path, 'one', 'a: [1'), 400, 'BadRequest');
    expectRefusal(await api.apply(path, 'one', '- a'), 400, 'BadRequest');
    const other = applied({}, { uid: 'fa1ff85b-6b1e-4b8e-9d0f-8a4d8b2e8a5e' });
    expect(expectRefusal(await api.apply(path, 'one', other), 409, 'Conflict').message).toContain('uid mismatch');
    expectRefusal(await api.get(path), 404, 'NotFound');
  });

  test('is the applier’s mistake where a value is of the right form, and says nothing', async () => {
    const ns = await namespace();
    const path = `${deployments(ns)}/web`;
    const { spec, ...type } = deployment('web');
    const limited = { name: 'c', image: 'i', resources: { limits: { cpu: 'much' } } };
    const wrong: object[] = [
      { ...type, spec: { ...spec, replicas: 3e9 } },
      { ...type, spec: { ...spec, replicas: 1.5 } },
      { ...type, spec: { ...spec, strategy: { rollingUpdate: { maxSurge: {} } } } },
      { ...type, spec: { ...spec, template: { ...spec.template, spec: { containers: [limited] } } } },
      { ...type, spec, metadata: { ...type.metadata, creationTimestamp: 'yesterday' } },
      { ...type, spec, metadata: { ...type.metadata, uid: {} } },
    ];
    for (const said of wrong) expectRefusal(await api.apply(path, 'one', said), 400, 'BadRequest');
    expectStatus(await api.apply(path, 'one', { ...type, spec }), 201);
    for (const said of wrong) expectRefusal(await api.apply(path, 'one', said), 400, 'BadRequest');
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' } };
    for (const replicas of ['3', 3e9]) {
      const refused = await api.apply(`${path}/scale`, 'two', { ...scale, spec: { replicas } });
      expectRefusal(refused, 400, 'BadRequest');
    }
  });

  test('names a version as any update does', async () => {
    const path = `${configMaps(await namespace())}/a`;
    const { metadata } = expectStatus(await api.apply(path, 'one', applied({ x: '1' })), 201).json();
    const { resourceVersion } = expectStatus(await api.apply(path, 'one', applied({ x: '2' })), 200).json().metadata;
    const stale = applied({ x: '3' }, { resourceVersion: metadata.resourceVersion });
    expectRefusal(await api.apply(path, 'one', stale), 409, 'Conflict');
    expectStatus(await api.apply(path, 'one', applied({ x: '3' }, { resourceVersion })), 200);
  });

  test('of a dry run leaves nothing behind', async () => {
    const ns = await namespace();
    const path = `${configMaps(ns)}/a`;
    expectStatus(await api.apply(path, 'one', applied({ x: '1' }), '&dryRun=All'), 201);
    expect((await list(api, configMaps(ns))).items).toEqual([]);
    const live = expectStatus(await api.apply(path, 'one', applied({ x: '1' })), 201).json();
    const tried = expectStatus(await api.apply(path, 'two', applied({ y: '1' }), '&dryRun=All'), 200).json();
    expect(tried.data).toEqual({ x: '1', y: '1' });
    expect(expectStatus(await api.get(path), 200).json()).toEqual(live);
  });

  test('merges lists by their keys, and takes away only what nobody else owns', async () => {
    const ns = await namespace();
    const path = `${deployments(ns)}/web`;
    const { spec, ...type } = deployment('web');
    expectStatus(await api.apply(path, 'one', { ...type, spec }), 201);
    const template = (...containers: object[]) => ({
      ...type,
      spec: { template: { spec: { containers } } },
    });
    const side = { name: 'side', image: 'k', ports: [{ containerPort: 80 }] };
    const both = expectStatus(await api.apply(path, 'two', template(side)), 200).json();
    expect(both.spec.template.spec.containers.map(({ name }: { name: string }) => name)).toEqual(['c', 'side']);
    const fields = ownersOf(both)['two Apply'] as Record<string, unknown>;
    expect(JSON.stringify(fields)).toContain('k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}');
    const without = expectStatus(await api.apply(path, 'two', { ...type, spec: {} }), 200).json();
    expect(without.spec.template.spec.containers.map(({ name }: { name: string }) => name)).toEqual(['c']);
  });
});

conformance('Owners of fields [managedFields entry]', ({ api, names, namespace }) => {
  test('are drawn from create and update, by manager or user agent', async () => {
    const path = configMaps(await namespace());
    const create = { body: configMap('a', { data: { x: '1' } }), headers: AGENT };
    const created = expectStatus(await api.request('POST', path, create), 201).json();
    expect(ownersOf(created)).toEqual({ 'test-client Update': { 'f:data': { '.': {}, 'f:x': {} } } });
    const body = { ...created, data: { x: '2', y: '2' } };
    const updated = expectStatus(await api.request('PUT', `${path}/a?fieldManager=me`, { body }), 200).json();
    expect(ownersOf(updated)).toEqual({
      'test-client Update': { 'f:data': {} },
      'me Update': { 'f:data': { 'f:x': {}, 'f:y': {} } },
    });
    const patch = { headers: { ...AGENT, 'content-type': 'application/merge-patch+json' }, body: { data: { y: '3' } } };
    const patched = expectStatus(await api.request('PATCH', `${path}/a`, patch), 200).json();
    expect(ownersOf(patched)).toEqual({
      'test-client Update': { 'f:data': { '.': {}, 'f:y': {} } },
      'me Update': { 'f:data': { 'f:x': {} } },
    });
  });

  test('own defaults after a create, and not after an apply', async () => {
    const ns = await namespace();
    const { metadata, ...rest } = deployment('posted');
    const posted = expectStatus(await api.post(deployments(ns), { metadata, ...rest }), 201).json();
    expect(JSON.stringify(ownersOf(posted))).toContain('f:progressDeadlineSeconds');
    const applied = deployment('applied');
    const made = expectStatus(await api.apply(`${deployments(ns)}/applied`, 'one', applied), 201).json();
    expect(made.spec.progressDeadlineSeconds).toBe(600);
    expect(JSON.stringify(ownersOf(made))).not.toContain('f:progressDeadlineSeconds');
  });

  test('keep status and the rest apart', async () => {
    const ns = await namespace();
    const path = `${deployments(ns)}/web`;
    const body = { ...deployment('web'), status: { replicas: 7 } };
    const created = expectStatus(await api.post(deployments(ns), body), 201).json();
    expect(JSON.stringify(ownersOf(created))).not.toContain('f:status');
    const status = { ...created, status: { observedGeneration: 1 }, spec: { ...created.spec, replicas: 9 } };
    const observed = expectStatus(await api.put(`${path}/status?fieldManager=controller`, status), 200).json();
    expect(ownersOf(observed)['controller Update/status']).toEqual({ 'f:status': { 'f:observedGeneration': {} } });
    const patch = { apiVersion: 'apps/v1', kind: 'Deployment', status: { observedGeneration: 1, replicas: 3 } };
    const applied = expectStatus(await api.apply(`${path}/status`, 'applier', patch), 200).json();
    expect(ownersOf(applied)['applier Apply/status']).toEqual({
      'f:status': { 'f:observedGeneration': {}, 'f:replicas': {} },
    });
    expect(applied.spec.replicas).toBe(1);
  });

  test('of replicas change hands through scale', async () => {
    const ns = await namespace();
    const path = `${deployments(ns)}/web`;
    expectStatus(await api.apply(path, 'one', deployment('web', 2)), 201);
    const scale = expectStatus(await api.get(`${path}/scale`), 200).json();
    expectStatus(await api.put(`${path}/scale?fieldManager=scaler`, { ...scale, spec: { replicas: 5 } }), 200);
    const live = expectStatus(await api.get(path), 200).json();
    expect(ownersOf(live)['scaler Update/scale']).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(JSON.stringify(ownersOf(live)['one Apply'])).not.toContain('f:replicas');
    const refused = expectRefusal(await api.apply(path, 'one', deployment('web', 2)), 409, 'Conflict');
    expect(refused.details?.causes?.[0]?.field).toBe('.spec.replicas');
    const said = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 7 } };
    const seen = expectRefusal(await api.apply(`${path}/scale`, 'two', said), 409, 'Conflict');
    const conflict = 'conflict with "scaler" with subresource "scale" using autoscaling/v1';
    expect(seen.message).toBe(`Apply failed with 1 conflict: ${conflict}: .spec.replicas`);
  });

  test('are cleared by one empty entry, not by an empty list, and not through a subresource', async () => {
    const ns = await namespace();
    const path = `${configMaps(ns)}/a`;
    expectStatus(await api.apply(path, 'one', applied({ x: '1' })), 201);
    const kept = expectStatus(await api.patch(path, 'merge', { metadata: { managedFields: [] } }), 200).json();
    expect(ownersOf(kept)).toEqual({ 'one Apply': fieldsOf('x') });
    const clear = { metadata: { managedFields: [{}] }, data: { y: '1' } };
    const patched = expectStatus(await api.patch(`${path}?fieldManager=two`, 'merge', clear), 200).json();
    expect(ownersOf(patched)).toEqual({ 'two Update': { 'f:data': { 'f:y': {} } } });
    const operations = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];
    const cleared = expectStatus(await api.patch(path, 'json', operations), 200).json();
    expect(cleared.metadata.managedFields ?? []).toEqual([]);
    const applier = expectStatus(await api.apply(path, 'three', applied({ x: '1', z: '1' })), 200).json();
    expect(Object.keys(ownersOf(applier)).sort()).toEqual(['before-first-apply Update', 'three Apply']);
  });

  test('are in lists, watches, metadata alone and protobuf', async () => {
    const ns = await namespace();
    const { metadata } = expectStatus(await api.apply(`${configMaps(ns)}/a`, 'one', applied({ x: '1' })), 201).json();
    const { managedFields } = metadata;
    expect(managedFields).toHaveLength(1);
    const all = await list(api, configMaps(ns));
    expect(all.items.map((item) => item.metadata.managedFields)).toEqual([managedFields]);
    const partial = `application/json;as=PartialObjectMetadata;g=${names.metaGroup};v=v1`;
    const alone = expectStatus(await api.get(`${configMaps(ns)}/a`, { accept: partial }), 200).json();
    expect(alone.metadata.managedFields).toEqual(managedFields);
    const table = `application/json;as=Table;g=${names.metaGroup};v=v1`;
    const rows = expectStatus(await api.get(`${configMaps(ns)}/a?includeObject=Object`, { accept: table }), 200).json();
    expect(rows.rows[0].object.metadata.managedFields).toEqual(managedFields);
    const binary = expectStatus(await api.get(`${configMaps(ns)}/a`, { accept: names.protobufMediaType }), 200);
    const schema = loadScheme(names).struct('core/v1.ConfigMap');
    expect(decodeProtobufObject(schema, binary.body).metadata?.managedFields).toEqual(managedFields);
    const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=0`);
    const event = await stream.next();
    expect(event?.object.metadata.managedFields).toEqual(managedFields);
    stream.close();
  });

  test('that nobody can read count for nothing', async () => {
    const ns = await namespace();
    const created = expectStatus(await api.apply(`${configMaps(ns)}/a`, 'one', applied({ x: '1' })), 201).json();
    const broken = [{ manager: 'm', operation: 'Steal', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }];
    const body = { ...created, metadata: { ...created.metadata, managedFields: broken } };
    const kept = expectStatus(await api.put(`${configMaps(ns)}/a`, body), 200).json();
    expect(kept).toEqual(created);
  });
});
