import { ApiError } from '@orch/client';
import { namesOf, notFound } from '@orch/machinery';
import type { Container, Pod, Service } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { containerEnvironment, expandedCommand } from './container-environment.js';
import { expand } from './expansion.js';
import { fieldValue } from './field-values.js';
import { resourceValue } from './resource-values.js';
import { serviceVariables } from './service-variables.js';

const addresses = { podIPs: ['10.1.0.5', 'fd00::5'], hostIP: '192.168.0.1' };
const names = namesOf('kubernetes');

describe('references to variables', () => {
  const values: Record<string, string> = { A: 'x', B: '$(A)', EMPTY: '' };
  it.each([
    ['$(A)', 'x'],
    ['a$(A)b$(A)', 'axbx'],
    ['$(B)', '$(A)'],
    ['$(EMPTY)', ''],
    ['$(NONE)', '$(NONE)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$x'],
    ['$$$$', '$$'],
    ['$A $', '$A $'],
    ['$(A', '$(A'],
    ['$()', '$()'],
  ])('%s becomes %s', (text, expected) => expect(expand(text, (name) => values[name])).toBe(expected));
});

const pod: Pod = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u1',
    labels: { app: 'web', 'example.com/b': '2' },
    annotations: { note: 'a "b"\n\u0001ü' },
  },
  spec: {
    nodeName: 'n1',
    serviceAccountName: 'sa',
    containers: [{ name: 'c' }, { name: 'd', resources: { limits: { cpu: '250m' } } }],
  },
};

describe('the downward API', () => {
  it.each([
    ['metadata.name', 'web'],
    ['metadata.namespace', 'shop'],
    ['metadata.uid', 'u1'],
    ["metadata.labels['app']", 'web'],
    ["metadata.labels['none']", ''],
    ['metadata.labels', 'app="web"\nexample.com/b="2"'],
    ['metadata.annotations', 'note="a \\"b\\"\\n\\x01ü"'],
    ['spec.nodeName', 'n1'],
    ['spec.serviceAccountName', 'sa'],
    ['status.podIP', '10.1.0.5'],
    ['status.podIPs', '10.1.0.5,fd00::5'],
    ['status.hostIP', '192.168.0.1'],
  ])('shows %s', (path, expected) => expect(fieldValue(path, pod, addresses)).toBe(expected));

  it('refuses other fields', () => {
    expect(() => fieldValue('spec.hostname', pod, addresses)).toThrow('unsupported fieldPath: spec.hostname');
    expect(() => fieldValue("metadata.labels['a b']", pod, addresses)).toThrow('invalid key subscript');
  });

  it.each([
    ['limits.cpu', 'd', '1', '1'],
    ['limits.cpu', 'd', '1m', '250'],
    ['limits.cpu', 'c', '1m', '4000'],
    ['limits.memory', 'c', '1Mi', '1024'],
    ['requests.memory', 'c', '0', '0'],
    ['limits.hugepages-2Mi', 'c', '0', '0'],
  ])('shows %s of %s by %s', (resource, containerName, divisor, expected) => {
    const allocatable = { cpu: '4', memory: '1Gi' };
    expect(resourceValue({ resource, containerName, divisor }, pod, undefined, allocatable)).toBe(expected);
  });

  it('rounds up', () => {
    const own: Container = { resources: { requests: { memory: '1025' } } };
    expect(resourceValue({ resource: 'requests.memory', divisor: '1Ki' }, pod, own, {})).toBe('2');
    expect(() => resourceValue({ resource: 'limits.gpu' }, pod, own, {})).toThrow('unsupported container resource');
    expect(() => resourceValue({ resource: 'limits.cpu', containerName: 'x' }, pod, own, {})).toThrow('not found');
  });
});

const service = (namespace: string, name: string, clusterIP: string, ports: object[]): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports },
});

describe('variables of services', () => {
  const services = [
    service('default', 'kubernetes', '10.0.0.1', [{ name: 'https', port: 443, protocol: 'TCP' }]),
    service('shop', 'my-db', 'fd00::1', [{ port: 80 }, { name: 'udp-x', port: 53, protocol: 'UDP' }]),
    service('shop', 'headless', 'None', [{ port: 80 }]),
    service('other', 'other', '10.0.0.9', [{ port: 80 }]),
  ];

  it('are those of the namespace and of the API', () => {
    const variables = serviceVariables(services, 'shop', true, names);
    expect(Object.fromEntries([...variables].filter(([name]) => name.startsWith('MY_DB')))).toEqual({
      MY_DB_SERVICE_HOST: 'fd00::1',
      MY_DB_SERVICE_PORT: '80',
      MY_DB_PORT: 'tcp://[fd00::1]:80',
      MY_DB_PORT_80_TCP: 'tcp://[fd00::1]:80',
      MY_DB_PORT_80_TCP_PROTO: 'tcp',
      MY_DB_PORT_80_TCP_PORT: '80',
      MY_DB_PORT_80_TCP_ADDR: 'fd00::1',
      MY_DB_SERVICE_PORT_UDP_X: '53',
      MY_DB_PORT_53_UDP: 'udp://[fd00::1]:53',
      MY_DB_PORT_53_UDP_PROTO: 'udp',
      MY_DB_PORT_53_UDP_PORT: '53',
      MY_DB_PORT_53_UDP_ADDR: 'fd00::1',
    });
    expect(variables.get('KUBERNETES_SERVICE_PORT_HTTPS')).toBe('443');
    expect([...variables.keys()].some((name) => /HEADLESS|OTHER/.test(name))).toBe(false);
  });

  it('are the API alone without links', () => {
    const variables = serviceVariables(services, 'shop', false, names);
    expect([...variables.keys()].every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
    expect(variables.size).toBeGreaterThan(0);
  });
});

describe('the environment of a container', () => {
  const missing = (resource: string, name: string) => new ApiError(notFound({ group: '', resource }, name).status);
  const objects = {
    configMap: async (_namespace: string, name: string) => {
      if (name !== 'cm') throw missing('configmaps', name);
      return { data: { KEY: 'of map', 'bad key': 'x', '1st': 'y' } };
    },
    secret: async (_namespace: string, name: string) => {
      if (name !== 's') throw missing('secrets', name);
      return { data: { TOKEN: Buffer.from('secret').toString('base64') } };
    },
  };
  const events: string[] = [];
  const of = async (container: Container) =>
    Object.fromEntries(
      await containerEnvironment({
        pod,
        container,
        addresses,
        allocatable: { cpu: '2' },
        services: new Map([
          ['DB_SERVICE_HOST', '10.0.0.2'],
          ['KEY', 'of service'],
        ]),
        objects,
        onInvalidNames: (message) => events.push(message),
      }),
    );

  it('is of services, envFrom and env, each overriding those before', async () => {
    const env = [
      { name: 'TOKEN', value: 'own' },
      { name: 'URL', value: 'http://$(DB_SERVICE_HOST)/$(TOKEN)/$(LATER)/$(P_KEY)' },
      { name: 'LATER', value: 'x' },
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'OF_KEY', valueFrom: { configMapKeyRef: { name: 'cm', key: 'KEY' } } },
      { name: 'OF_SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'TOKEN' } } },
      { name: 'ABSENT', valueFrom: { secretKeyRef: { name: 's', key: 'none', optional: true } } },
      { name: 'EMPTY', value: '' },
    ];
    const envFrom = [
      { prefix: 'P_', configMapRef: { name: 'cm' } },
      { secretRef: { name: 's' } },
      { secretRef: { name: 'none', optional: true } },
    ];
    expect(await of({ name: 'c', env, envFrom })).toEqual({
      DB_SERVICE_HOST: '10.0.0.2',
      KEY: 'of service',
      P_KEY: 'of map',
      P_1st: 'y',
      TOKEN: 'own',
      URL: 'http://10.0.0.2/own/$(LATER)/of map',
      LATER: 'x',
      NAME: 'web',
      CPU: '2',
      OF_KEY: 'of map',
      OF_SECRET: 'secret',
      EMPTY: '',
    });
    expect(events).toEqual([
      'Keys [P_bad key] from the EnvFrom configMap shop/cm were skipped since they are considered invalid environment variable names.',
    ]);
  });

  it.each([
    [{ valueFrom: { secretKeyRef: { name: 'none', key: 'k' } } }, 'secrets "none" not found'],
    [{ valueFrom: { configMapKeyRef: { name: 'cm', key: 'k' } } }, "couldn't find key k in ConfigMap shop/cm"],
    [{ valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }, "couldn't find key k in Secret shop/s"],
  ])('waits for what is missing', async (variable, message) => {
    await expect(of({ env: [{ name: 'X', ...variable }] })).rejects.toThrow(message);
  });

  it('expands command and arguments', () => {
    const container = { command: ['/bin/$(A)'], args: ['$(B)', '$$(A)'] };
    expect(expandedCommand(container, new Map([['A', 'sh']]))).toEqual({
      command: ['/bin/sh'],
      args: ['$(B)', '$(A)'],
    });
  });
});
