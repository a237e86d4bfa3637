import { expect, test } from 'vitest';
import type { StatusObject } from '../support/api.js';
import { ownAddress } from '../support/node-agent.js';
import { conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

conformanceWithoutNames('What reaches pods, nodes and services [Path shapes]', ({ api, namespace }) => {
  const at = (ns: string, resource: string) => `/api/v1/namespaces/${ns}/${resource}`;

  async function makePod(ns: string, name: string, spec: object = {}): Promise<string> {
    const containers = [{ name: 'c', image: 'i' }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
    expectStatus(await api.post(at(ns, 'pods'), pod), 201);
    return `${at(ns, 'pods')}/${name}`;
  }

  async function makeNode(name: string, addresses: object[]): Promise<void> {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    expectStatus(await api.post('/api/v1/nodes', node), 201);
    expectStatus(await api.patch(`/api/v1/nodes/${name}/status`, 'merge', { status: { addresses } }), 200);
  }

  /** The message of an error that has no reason, as of what is passed on. */
  function unexplained(answer: Parameters<typeof expectRefusal>[0]): string | undefined {
    const { reason, message } = expectStatus(answer, 500).json<StatusObject>();
    expect(reason).toBeUndefined();
    return message;
  }

  const nobodyAt = (port: number): string =>
    `error trying to reach service: dial tcp ${ownAddress()}:${port}: connect: connection refused`;

  const message = (answer: Parameters<typeof expectRefusal>[0], code: number, reason: string) =>
    expectRefusal(answer, code, reason).message;

  test('the log of a pod that no node has is nothing', async () => {
    const ns = await namespace();
    const answer = await api.get(`${await makePod(ns, 'p')}/log`);
    expect(expectStatus(answer, 204).text).toBe('');
    expect(message(await api.get(`${at(ns, 'pods')}/none/log`), 404, 'NotFound')).toBe('pods "none" not found');
  });

  test('a log needs to know its container', async () => {
    const ns = await namespace();
    const containers = [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ];
    const pod = await makePod(ns, 'p', { containers, initContainers: [{ name: 'first', image: 'i' }] });
    expect(message(await api.get(`${pod}/log`), 400, 'BadRequest')).toBe(
      'a container name must be specified for pod p, choose one of: [first a b]',
    );
    expect(message(await api.get(`${pod}/log?container=x`), 400, 'BadRequest')).toBe(
      'container x is not valid for pod p',
    );
    expectStatus(await api.get(`${pod}/log?container=first`), 204);
    expect(message(await api.post(`${pod}/exec?command=ls`, ''), 400, 'BadRequest')).toContain('choose one of');
  });

  test.each([
    ['tailLines=-1', 422, 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 422, 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 422, 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z', 422, 'at most one of `sinceTime` or `sinceSeconds`'],
    ['tailLines=many', 400, 'strconv.ParseInt: parsing "many": invalid syntax'],
    ['tailLines=99999999999999999999', 400, 'value out of range'],
    ['sinceTime=yesterday', 400, 'yesterday'],
  ] as const)('a log of %s is refused with %i', async (query, code, why) => {
    const ns = await namespace();
    const answer = await api.get(`${await makePod(ns, 'p')}/log?${query}`);
    expect(message(answer, code, code === 422 ? 'Invalid' : 'BadRequest')).toContain(why);
  });

  test('streams need a pod on a node that has an address', async () => {
    const ns = await namespace();
    const free = await makePod(ns, 'free');
    for (const what of ['exec?command=ls', 'attach', 'portforward?ports=80']) {
      const answer = await api.post(`${free}/${what}`, '');
      expect(message(answer, 400, 'BadRequest')).toBe('pod free does not have a host assigned');
    }
    const node = `n-${ns}`;
    const bound = await makePod(ns, 'bound', { nodeName: node });
    expect(message(await api.post(`${bound}/attach`, ''), 404, 'NotFound')).toBe(`nodes "${node}" not found`);
    expectRefusal(await api.get(`${bound}/log`), 404, 'NotFound');
    await makeNode(node, [{ type: 'Other', address: '10.0.0.9' }]);
    expect(unexplained(await api.get(`${bound}/log`))).toBe(
      'no preferred addresses found; known addresses: [{Other 10.0.0.9}]',
    );
    const addresses = [
      { type: 'InternalIP', address: '10.0.0.9' },
      { type: 'Hostname', address: 'host.invalid' },
    ];
    expectStatus(await api.patch(`/api/v1/nodes/${node}/status`, 'merge', { status: { addresses } }), 200);
    expect(unexplained(await api.get(`${bound}/log`))).toBe(
      `Get "https://host.invalid:10250/containerLogs/${ns}/bound/c": dial tcp: lookup host.invalid: no such host`,
    );
    for (const method of ['GET', 'POST']) {
      const answer = await api.request(method, `${bound}/exec?command=ls`);
      expect(message(answer, 400, 'BadRequest')).toBe('Upgrade request required');
    }
    expectRefusal(await api.post(`${bound}/exec?dryRun=All`, ''), 400, 'BadRequest');
    for (const ports of ['http', '-1', '65536', '80,x']) {
      expectRefusal(await api.post(`${bound}/portforward?ports=${ports}`, ''), 400, 'BadRequest');
    }
    expectRefusal(await api.put(`${bound}/exec`, ''), 405, 'MethodNotAllowed');
    expectStatus(await api.delete(`/api/v1/nodes/${node}`), 200);
  });

  test('a proxy of a node goes nowhere forbidden, and nowhere', async () => {
    const name = `n-${await namespace()}`;
    const path = `/api/v1/nodes/${name}/proxy`;
    expectRefusal(await api.get(path), 404, 'NotFound');
    await makeNode(name, [{ type: 'InternalIP', address: '127.0.0.1' }]);
    expect(message(await api.get(`${path}/metrics`), 400, 'BadRequest')).toBe('address not allowed');
    const addresses = [{ type: 'InternalIP', address: ownAddress() }];
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
    expectStatus(await api.patch(`/api/v1/nodes/${name}/status`, 'merge', { status }), 200);
    expect(message(await api.get(`${path}/metrics`), 503, 'ServiceUnavailable')).toBe(nobodyAt(1));
    expectStatus(await api.request('HEAD', `${path}/`), 503);
    expect(message(await api.get(`/api/v1/nodes/${name}:2/proxy/`), 503, 'ServiceUnavailable')).toBe(nobodyAt(2));
    expect(message(await api.get(`/api/v1/nodes/${name}:x/proxy/`), 503, 'ServiceUnavailable')).toBe(
      'error trying to reach service: dial tcp: lookup tcp/x: unknown port',
    );
    expectRefusal(await api.get(`/api/v1/nodes/ftp:${name}:1/proxy`), 400, 'BadRequest');
    expectStatus(await api.delete(`/api/v1/nodes/${name}`), 200);
  });

  test.each([
    ['', 400],
    ['127.0.0.1', 400],
    ['169.254.169.254', 400],
    ['::1', 400],
    ['::ffff:127.0.0.1', 400],
    ['fe80::1', 400],
    [ownAddress(), 503],
  ])('a proxy of a pod at %j is answered with %i', async (ip, code) => {
    const ns = await namespace();
    const pod = await makePod(ns, 'p');
    const status = { podIP: ip, podIPs: [{ ip }] };
    if (ip) expectStatus(await api.patch(`${pod}/status`, 'merge', { status }), 200);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await api.request(method, `${pod}:1/proxy/any/where`);
      if (code === 400) expect(message(answer, 400, 'BadRequest')).toBe('address not allowed');
      else expectRefusal(answer, 503, 'ServiceUnavailable');
    }
    expectRefusal(await api.get(`${at(ns, 'pods')}/none/proxy/`), 404, 'NotFound');
  });

  test('a proxy of a service looks for a pod behind it', async () => {
    const ns = await namespace();
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } };
    const ports = [{ name: 'http', port: 80 }];
    expectStatus(await api.post(at(ns, 'services'), { ...service, spec: { ports } }), 201);
    const proxy = (id: string) => api.get(`${at(ns, 'services')}/${id}/proxy/`);
    const none = async (id: string) => message(await proxy(id), 503, 'ServiceUnavailable');
    expect(message(await proxy('s'), 404, 'NotFound')).toBe('endpoints "s" not found');
    expect(await none('s:81')).toBe('no service port 81 found for service "s"');
    const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 's' } };
    expectStatus(await api.post(at(ns, 'endpoints'), endpoints), 201);
    expect(await none('s')).toBe('no endpoints available for service "s"');
    const targetRef = { kind: 'Pod', name: 'p', namespace: ns };
    const addresses = [{ ip: ownAddress(), targetRef }, { ip: '10.0.0.8' }];
    const notReadyAddresses = [{ ip: '10.0.0.7', targetRef }];
    const subsets = [{ addresses, notReadyAddresses, ports: [{ name: 'http', port: 1 }] }];
    expectStatus(await api.put(`${at(ns, 'endpoints')}/s`, { ...endpoints, subsets }), 200);
    expect(await none('http:s:http')).toBe('no endpoints available for service "http:s:http"');
    const pod = await makePod(ns, 'p');
    const status = { podIPs: [{ ip: ownAddress() }], podIP: ownAddress() };
    expectStatus(await api.patch(`${pod}/status`, 'merge', { status }), 200);
    for (const id of ['s:http', 's:80', 'https:s:http']) {
      expect(await none(id)).toBe(nobodyAt(1));
    }
    expect(await none('s')).toBe('no endpoints available for service "s"');
    // Clients would come back at once where a time is said.
    expect((await proxy('s')).headers).not.toHaveProperty('retry-after');
    expectRefusal(await proxy('a:b:c:d'), 400, 'BadRequest');
  });
});
