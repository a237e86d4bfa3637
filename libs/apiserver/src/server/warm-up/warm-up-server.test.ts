import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { alwaysAllow } from '@orch/authorization';
import { readCredentials } from '@orch/credentials';
import { namesOf } from '@orch/machinery';
import { defineOptions } from '@orch/runtime';
import { testApi } from '@orch/testing';
import { afterEach, expect, test } from 'vitest';
import { tierOptions } from '../tier-service.js';
import { openHttp1, openHttp2 } from './warm-up-connection.js';
import { openWarmUpServer } from './warm-up-server.js';

const dir = mkdtempSync(join(tmpdir(), 'warm-up-server-'));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('nobody is answered without the token, over either version of HTTP', async () => {
  const names = namesOf('orch');
  await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names });
  const { values: serving } = defineOptions(tierOptions).parse([`--cert-dir=${dir}`, '--postgres-url=x']);
  const credentials = await readCredentials(serving, names);
  const api = await testApi();
  const token = 'the-token';
  const server = await openWarmUpServer({ deps: api.deps, authorizer: alwaysAllow, credentials, serving, token });
  const address = { port: server.securePort, certificate: credentials.serving.cert };
  const get = { method: 'GET', path: '/api/v1/namespaces/default', mediaType: 'application/json' };
  for (const open of [openHttp1, openHttp2]) {
    for (const [given, code] of [
      [token, 200],
      ['another', 401],
      ['', 401],
    ] as const) {
      const connection = open({ ...address, token: given });
      expect((await connection.send(get)).code, given).toBe(code);
      connection.close();
    }
  }
  await server.close(AbortSignal.abort());
  api.close();
});
