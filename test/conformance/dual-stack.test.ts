import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { expectRefusal, expectStatus } from './conformance.js';

const PATH = '/api/v1/namespaces/default/services';
const [FOUR, SIX] = [/^10\.99\.0\.\d+$/, /^fd00:99::[0-9a-f]+$/];
const service = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { selector: { app: 'a' }, ports: [{ port: 80 }], ...spec },
});

describe('Services of two families', () => {
  let server: Standalone;
  let api: Api;
  beforeAll(async () => {
    server = await startStandalone({ args: ['--service-cluster-ip-range=10.99.0.0/24,fd00:99::/112'] });
    api = new Api(server);
  });
  afterAll(async () => {
    api?.close();
    await server?.stop();
  });
  const create = async (name: string, spec?: object) =>
    expectStatus(await api.post(PATH, service(name, spec)), 201).json<ApiObject>().spec;
  const patch = async (name: string, spec: object) =>
    expectStatus(await api.patch(`${PATH}/${name}`, 'merge', { spec }), 200).json<ApiObject>().spec;

  test('have one address of each, the default first unless they ask otherwise', async () => {
    const plain = await create('plain');
    expect(plain).toMatchObject({ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] });
    expect(plain.clusterIPs).toEqual([expect.stringMatching(FOUR)]);
    const both = await create('both', { ipFamilyPolicy: 'RequireDualStack' });
    expect(both.clusterIPs).toEqual([expect.stringMatching(FOUR), expect.stringMatching(SIX)]);
    expect([both.clusterIP, both.ipFamilies]).toEqual([both.clusterIPs[0], ['IPv4', 'IPv6']]);
    const turned = await create('turned', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] });
    expect(turned.clusterIPs).toEqual([expect.stringMatching(SIX), expect.stringMatching(FOUR)]);
    const six = await create('six', { ipFamilies: ['IPv6'] });
    expect(six.clusterIPs).toEqual([expect.stringMatching(SIX)]);
    const headless = await create('headless', { clusterIP: 'None', selector: undefined });
    expect(headless).toMatchObject({
      clusterIPs: ['None'],
      ipFamilyPolicy: 'RequireDualStack',
      ipFamilies: ['IPv4', 'IPv6'],
    });
    expect(await create('named', { type: 'ExternalName', externalName: 'example.com' })).not.toHaveProperty(
      'ipFamilies',
    );
  });

  test('gain and lose the second one by the policy, and what they lose is free again', async () => {
    const before = await create('grows');
    const grown = await patch('grows', { ipFamilyPolicy: 'PreferDualStack' });
    expect(grown.clusterIPs).toEqual([before.clusterIP, expect.stringMatching(SIX)]);
    const second = grown.clusterIPs[1];
    const taken = service('wants', { clusterIP: second, clusterIPs: [second] });
    expect(expectRefusal(await api.post(PATH, taken), 422, 'Invalid').details?.causes).toMatchObject([
      { field: 'spec.clusterIPs' },
    ]);
    const cut = await api.patch(`${PATH}/grows`, 'merge', { spec: { clusterIPs: [before.clusterIP] } });
    expect(expectRefusal(cut, 422, 'Invalid').message).toContain(
      `spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be 'SingleStack' to release the secondary cluster IP`,
    );
    const whole = service('grows', { clusterIP: before.clusterIP, ipFamilyPolicy: 'PreferDualStack' });
    expect(expectStatus(await api.put(`${PATH}/grows`, whole), 200).json().spec).toMatchObject(grown);
    expect(await patch('grows', { ipFamilyPolicy: 'SingleStack' })).toMatchObject({
      clusterIPs: [before.clusterIP],
      ipFamilies: ['IPv4'],
    });
    // However it is written.
    const written = second.replace('fd00:99::', 'FD00:99:0::');
    expect((await create('wants', { clusterIP: written })).clusterIPs).toEqual([written]);
    expectStatus(await api.delete(`${PATH}/wants`), 200);
    expect((await create('wants-too', { clusterIP: second })).clusterIP).toBe(second);
  });

  test('give both addresses back when they go', async () => {
    const { clusterIPs } = await create('goes', { ipFamilyPolicy: 'RequireDualStack' });
    expectStatus(await api.delete(`${PATH}/goes`), 200);
    expect(
      await create('comes', { clusterIP: clusterIPs[0], clusterIPs, ipFamilyPolicy: 'RequireDualStack' }),
    ).toMatchObject({ clusterIPs });
  });
});

test('one range means one family', async () => {
  const server = await startStandalone({ args: ['--service-cluster-ip-range=fd00:98::/112'] });
  const api = new Api(server);
  try {
    const own = expectStatus(await api.get(`${PATH}/kubernetes`), 200).json().spec;
    expect(own).toMatchObject({ clusterIPs: ['fd00:98::1'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
    const needs = await api.post(PATH, service('needs', { ipFamilyPolicy: 'RequireDualStack' }));
    expect(expectRefusal(needs, 422, 'Invalid').details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        field: 'spec.ipFamilyPolicy',
      },
    ]);
  } finally {
    api.close();
    await server.stop();
  }
});
