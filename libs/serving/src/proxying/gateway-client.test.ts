import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkGatewayClient } from './gateway-client.js';

let dir: string;
let pki: Pki;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-client-'));
  pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'api' } });
});
afterAll(() => rm(dir, { recursive: true }));

describe('what gateways are shown', () => {
  it('is well where it is for nothing else', () => {
    expect(checkGatewayClient({ gatewayClient: pki.gatewayClient, proxy: pki.aggregator })).toBeUndefined();
    expect(checkGatewayClient({ gatewayClient: pki.gatewayClient, proxy: undefined })).toBeUndefined();
  });

  it('is warned of where extension servers are shown the same', () => {
    const warning = checkGatewayClient({ gatewayClient: pki.proxy, proxy: { ...pki.proxy } });
    expect(warning).toMatch(/^--gateway-client-cert-file is not given/);
  });

  it('is refused where gateways would not believe it', () => {
    for (const gatewayClient of [undefined, pki.aggregator])
      expect(() => checkGatewayClient({ gatewayClient, proxy: undefined })).toThrow('--gateway-url needs');
  });
});
