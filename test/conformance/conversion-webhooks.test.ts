import { randomBytes } from 'node:crypto';
import { ConversionServer } from '@orch/webhooks/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import { sizedWidgets } from '../support/sized-widgets.js';
import { conformance, expectRefusal, expectStatus, list } from './conformance.js';

const POLL = { timeout: 20_000, interval: 20 };

conformance('Conversion webhooks', ({ api, names, namespace }) => {
  let webhook: ConversionServer;
  beforeAll(async () => {
    webhook = await ConversionServer.start();
  });
  afterAll(() => webhook?.close());
  afterEach(() => webhook.recover());

  const apiVersion = `${names.group('apiextensions.orch.io')}/v1`;
  const definitions = `/apis/${apiVersion}/customresourcedefinitions`;

  /** A kind of a group of its own, in a namespace of its own. @returns path of its collection in a version, and an object of it */
  async function define(conversion: object) {
    const group = `g${randomBytes(5).toString('hex')}.example.com`;
    expectStatus(await api.post(definitions, sizedWidgets({ group, apiVersion }, conversion)), 201);
    const established = async () => {
      const { status } = (await api.get(`${definitions}/widgets.${group}`)).json<ApiObject>();
      return (status?.conditions ?? []).some((one: ApiObject) => one.type === 'Established' && one.status === 'True');
    };
    await expect.poll(established, POLL).toBe(true);
    const within = await namespace();
    const at = (version: string, name = '') =>
      `/apis/${group}/${version}/namespaces/${within}/widgets${name && `/${name}`}`;
    const object = (version: string, name: string, spec: object) => ({
      apiVersion: `${group}/${version}`,
      kind: 'Widget',
      metadata: { name },
      spec,
    });
    return { group, at, object };
  }

  test('serve each version of what is stored in one, with one call for a list', async () => {
    const { group, at, object } = await define(webhook.conversion());
    expectStatus(await api.post(at('v1'), object('v1', 'a', { size: 1 })), 201);
    const made = expectStatus(await api.post(at('v2'), object('v2', 'b', { dimension: { size: 2 } })), 201);
    expect(made.json<ApiObject>()).toMatchObject({ apiVersion: `${group}/v2`, spec: { dimension: { size: 2 } } });
    expect((await list(api, at('v1'))).items.map(({ spec }) => spec)).toEqual([{ size: 1 }, { size: 2 }]);
    webhook.reviews.length = 0;
    const { items } = await list(api, at('v2'));
    expect(items.map(({ spec }) => spec)).toEqual([{ dimension: { size: 1 } }, { dimension: { size: 2 } }]);
    expect(webhook.reviews).toHaveLength(1);
    expect(webhook.reviews[0]?.apiVersion).toBe(apiVersion);
    const { text } = await api.get('/metrics');
    expect(text).toMatch(
      new RegExp(
        `apiserver_crd_webhook_conversion_duration_seconds_count\\{crd_name="widgets.${group}",from_version="v1",to_version="v2",succeeded="true"\\} [1-9]`,
      ),
    );
  });

  test('that are down fail what needs them with 500, and nothing else', async () => {
    const { at, object } = await define(webhook.conversion());
    const before = expectStatus(await api.post(at('v1'), object('v1', 'a', { size: 1 })), 201).json<ApiObject>();
    webhook.fail();
    for (const answer of [
      await api.get(at('v2', 'a')),
      await api.get(at('v2')),
      await api.post(at('v2'), object('v2', 'b', {})),
      await api.patch(at('v2', 'a'), 'merge', { spec: { dimension: { size: 2 } } }),
      await api.delete(at('v2', 'a')),
    ]) {
      expect(expectRefusal(answer, 500, 'InternalError').message).toMatch(
        /^conversion webhook for g[0-9a-f]{10}\.example\.com\/v[12], Kind=Widget failed: Post "https:\/\/127\.0\.0\.1:\d+\/convert\?timeout=30s": /,
      );
    }
    const { metadata, spec } = before;
    expect((await list(api, at('v1'))).items).toMatchObject([{ metadata, spec }]);
    expectStatus(await api.patch(at('v1', 'a'), 'merge', { spec: { size: 3 } }), 200);
  });

  test('hold watches of their versions back while they are down, and lose nothing', async () => {
    const { at, object } = await define(webhook.conversion());
    expectStatus(await api.post(at('v1'), object('v1', 'a', { size: 1 })), 201);
    const watch = await api.watch(`${at('v2')}?watch=true`);
    const stored = await api.watch(`${at('v1')}?watch=true`);
    expect((await watch.take(1)).map(({ object: { spec } }) => spec)).toEqual([{ dimension: { size: 1 } }]);
    webhook.fail();
    for (const size of [2, 3]) expectStatus(await api.patch(at('v1', 'a'), 'merge', { spec: { size } }), 200);
    expectStatus(await api.delete(at('v1', 'a')), 200);
    expect((await stored.take(4)).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
    webhook.recover();
    const missed = await watch.take(3);
    expect(missed.map(({ type, object: { spec } }) => [type, spec])).toEqual([
      ['MODIFIED', { dimension: { size: 2 } }],
      ['MODIFIED', { dimension: { size: 3 } }],
      ['DELETED', { dimension: { size: 3 } }],
    ]);
    watch.close();
    stored.close();
  });

  test('are found behind the services that definitions name, once these are there', async () => {
    const service = { namespace: 'default', name: 'hooks', port: webhook.port, path: '/there' };
    const { at, object } = await define(webhook.conversion({ service }));
    expectStatus(await api.post(at('v1'), object('v1', 'a', { size: 1 })), 201);
    const { message } = expectRefusal(await api.get(at('v2', 'a')), 500, 'InternalError');
    expect(message).toContain('service "hooks" not found');
    const metadata = { name: 'hooks' };
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    const services = '/api/v1/namespaces/default/services';
    expectStatus(await api.post(services, { apiVersion: 'v1', kind: 'Service', metadata, spec }), 201);
    await expect.poll(async () => (await api.get(at('v2', 'a'))).status, POLL).toBe(200);
    expectStatus(await api.delete(`${services}/hooks`), 200);
  });
});
