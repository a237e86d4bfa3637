import type { Service } from '@orch/schema/types/core/v1';
import { registrationOf } from '@orch/testing';
import { selfSigned } from '@orch/tls/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Backing } from './availability.js';
import { Extensions } from './extensions.js';

const service: Service = {
  metadata: { name: 'things' },
  spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [{ name: 'https', port: 443 }] },
};
const endpoints = {
  subsets: [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: [{ name: 'https', port: 8443 }] }],
};

/** Certificates with their keys: what is shown at first, and what is shown then. */
const pairs: { cert: string; key: string }[] = [];
let pair: { cert: string; key: string };
beforeAll(async () => {
  pairs.push(await selfSigned(), await selfSigned());
});
beforeEach(() => {
  pair = pairs[0] as typeof pair;
});
let extensions: Extensions;
afterEach(() => extensions.close());

function reaching(backing: Backing | undefined, routesToEndpoints = false): Extensions {
  extensions = new Extensions({
    backingOf: () => backing,
    routesToEndpoints,
    credentials: () => pair,
    random: () => 0.9,
  });
  return extensions;
}

describe('a server that is registered', () => {
  it('is reached by the address of its service, or by one of its endpoints', () => {
    const backing = { service, endpoints };
    expect(reaching(backing).of(registrationOf())).toMatchObject({ host: '10.0.0.7', port: 443 });
    expect(reaching(backing, true).of(registrationOf())).toMatchObject({ host: '10.1.0.2', port: 8443 });
  });

  it.each([
    ['is not known yet', undefined],
    ['is not there', { service: undefined, endpoints }],
    ['has no endpoints', { service, endpoints: undefined }],
  ])('is not reached while its service %s', (_what, backing) => {
    expect(() => reaching(backing, true).of(registrationOf())).toThrow();
  });

  it('has to bear the name of its service, and to stem from whom it is believed by', () => {
    const { agent, serverName } = reaching({ service, endpoints }).of(registrationOf({ caBundle: pair.cert }));
    expect(serverName).toBe('things.default.svc');
    expect(agent.options).toMatchObject({ rejectUnauthorized: true, servername: serverName });
    const { options } = extensions.of(registrationOf({ insecureSkipTLSVerify: true })).agent;
    expect(options.rejectUnauthorized).toBe(false);
    expect(extensions.unverified(registrationOf({ caBundle: 'none' })).agent.options.rejectUnauthorized).toBe(false);
  });

  it('keeps its connections as long as what it is shown stays the same', () => {
    const { agent } = reaching({ service, endpoints }).of(registrationOf());
    expect(extensions.of(registrationOf({ uid: 'other' })).agent).toBe(agent);
    pair = pairs[1] as typeof pair;
    const renewed = extensions.of(registrationOf()).agent;
    expect(renewed).not.toBe(agent);
    extensions.keep([registrationOf()]);
    expect(extensions.of(registrationOf()).agent).toBe(renewed);
    extensions.keep([]);
    expect(extensions.of(registrationOf()).agent).not.toBe(renewed);
  });

  it('keeps none for a trust that nobody has any more', () => {
    const before = reaching({ service, endpoints }).of(registrationOf({ caBundle: pairs[0]?.cert as string })).agent;
    const unverified = extensions.unverified(registrationOf()).agent;
    extensions.keep([registrationOf({ caBundle: pairs[1]?.cert as string })]);
    expect(extensions.unverified(registrationOf()).agent).toBe(unverified);
    expect(extensions.of(registrationOf({ caBundle: pairs[0]?.cert as string })).agent).not.toBe(before);
  });

  it('is not reached where nobody is trusted', () => {
    const reached = reaching({ service, endpoints });
    expect(() => reached.of(registrationOf({ caBundle: 'no certificate' }))).toThrow('no certificate in PEM');
  });
});
