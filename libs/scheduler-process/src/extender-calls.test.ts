import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExtenderConfiguration } from '@orch/scheduler';
import { podInfoOf } from '@orch/scheduler-plugins';
import { expect, it, onTestFinished } from 'vitest';
import { openExtenders } from './extender-calls.js';

const CONFIGURATION: ExtenderConfiguration = {
  ...{ urlPrefix: '', filterVerb: '', preemptVerb: '', prioritizeVerb: '', bindVerb: 'bind', weight: 1 },
  ...{ enableHTTPS: false, tlsConfig: undefined, timeoutMs: 5_000, nodeCacheCapable: false, managedResources: [] },
  ignorable: false,
};
const NO_TLS = { caData: '', caFile: '', certData: '', certFile: '', keyData: '', keyFile: '', serverName: '' };

it('reads the TLS files of an extender again where they were missing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'extender-'));
  const server = createServer((request, response) => void response.end(request.method === 'POST' ? '{}' : ''));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caFile = join(folder, 'ca.crt');
  const { port } = server.address() as AddressInfo;
  const tlsConfig = { ...NO_TLS, insecure: false, caFile };
  const urlPrefix = `http://127.0.0.1:${port}`;
  const { extenders, close } = openExtenders([{ ...CONFIGURATION, urlPrefix, tlsConfig }], () => undefined);
  onTestFinished(async () => {
    await close();
    server.close();
    await rm(folder, { recursive: true });
  });
  const pod = podInfoOf({ metadata: { name: 'p', namespace: 'ns', uid: 'u' } });
  await expect(extenders.bind(pod, 'n')).rejects.toThrow('ENOENT');
  await writeFile(caFile, '');
  expect(await extenders.bind(pod, 'n')).toBe(true);
});
