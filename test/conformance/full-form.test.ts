import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import { conformance, expectStatus } from './conformance.js';

/** An object that says as little as it may, and how release 1.27.16 shows it. */
interface Vector {
  readonly resource: string;
  readonly namespaced: boolean;
  readonly sent: ApiObject;
  readonly shown: ApiObject;
}

/**
 * Answered by a kube-apiserver of release 1.27.16 to a GET behind the POST of `sent`; without what is given to each object, and with X for
 * addresses and uids.
 */
const sources = fileURLToPath(new URL('full-form.jsonl', import.meta.url));
const vectors = readVectors();

function readVectors(): Vector[] {
  const lines = readFileSync(sources, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Vector);
}

const GIVEN = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation'];
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g;
const ADDRESS = /"clusterIP":"[\d.]+","clusterIPs":\["[\d.]+"\]/;
/** Their status is written by controllers, which are at work at once here, and for a server alone are not there. */
const OBSERVED = new Set(['CustomResourceDefinition', 'FlowSchema', 'ResourceQuota']);

/** An object without what is given to each, and what else differs between two servers. */
function settled(object: ApiObject, kind: string): unknown {
  const { status, spec, ...rest } = object as ApiObject & { status?: unknown; spec?: object };
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([name]) => !GIVEN.includes(name)));
  // Of the plugin for service accounts, which the other server ran without.
  const { serviceAccount: _1, serviceAccountName: _2, ...others } = (spec ?? {}) as Record<string, unknown>;
  const shown = { ...rest, metadata, ...(spec && { spec: others }), ...(!OBSERVED.has(kind) && { status }) };
  return JSON.parse(JSON.stringify(shown).replace(UID, 'X').replace(ADDRESS, '"clusterIP":"X","clusterIPs":["X"]'));
}

conformance('Objects as they are always written', ({ api, names, namespace }) => {
  /** In the names of the profile, and in the test's namespace. */
  const inProfile = <T>(value: T, ns: string): T =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/[a-z.]*k8s\.io(?=[/"])/g, (group) => names.group(group.replace(/k8s\.io$/, 'orch.io')))
        .replace(/"((?:[a-z.-]+\.)?kubernetes\.io\/[^"]*)"/g, (_, key: string) =>
          JSON.stringify(names.key(key.replace(/kubernetes\.io\//, 'orch.io/'))),
        )
        .replace('"finalizers":["kubernetes"]', `"finalizers":["${names.profile}"]`)
        .replaceAll('"namespace":"default"', `"namespace":"${ns}"`),
    );

  test.each(
    vectors.map(
      (vector) => [`${vector.sent.kind} of ${vector.sent.apiVersion}`, vector.sent.metadata.name, vector] as const,
    ),
  )('%s (%s): get, creation, list, watch and table say the same as release 1.27', async (_kind, _name, vector) => {
    const ns = await namespace();
    const { sent, shown } = inProfile(vector, ns);
    const version = sent.apiVersion === 'v1' ? '/api/v1' : `/apis/${sent.apiVersion}`;
    const collection = `${version}${vector.namespaced ? `/namespaces/${ns}` : ''}/${vector.resource}`;
    const kind = sent.kind ?? '';
    const expected = settled(shown, kind) as ApiObject;
    const said = (object: ApiObject): unknown => settled(object, kind);

    const created = expectStatus(await api.post(collection, sent), 201).json<ApiObject>();
    const path = `${collection}/${sent.metadata.name}`;
    try {
      expect(said(created)).toEqual(expected);
      expect(said(expectStatus(await api.get(path), 200).json<ApiObject>())).toEqual(expected);
      const { items } = expectStatus(await api.get(collection), 200).json<{ items: ApiObject[] }>();
      const { kind: _k, apiVersion: _v, ...item } = expected;
      expect(items.map(said)).toContainEqual(item);
      const query = `?watch=1&resourceVersion=0&fieldSelector=metadata.name=${sent.metadata.name}`;
      const watch = await api.watch(collection + query);
      expect(said((await watch.next())?.object as ApiObject)).toEqual(expected);
      watch.close();
      const accept = `application/json;as=Table;v=v1;g=${names.metaGroup}`;
      const table = expectStatus(await api.get(`${path}?includeObject=Object`, { accept }), 200);
      const { rows } = table.json<{ rows: { object: ApiObject }[] }>();
      expect(rows.map(({ object }) => said(object))).toEqual([expected]);
    } finally {
      await api.request('DELETE', path);
    }
  });
});
