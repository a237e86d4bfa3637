import type { Service } from '@orch/schema/types/core/v1';
import { afterEach, describe, expect, it } from 'vitest';
import { registrationOf } from '../testing/extension-server.js';
import type { Backing } from './availability.js';
import { Extensions } from './extensions.js';

const service: Service = {
  metadata: { name: 'things' },
  spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [{ name: 'https', port: 443 }] },
};
const endpoints = {
  subsets: [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: [{ name: 'https', port: 8443 }] }],
};

let pair = { cert: 'a', key: 'b' };
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
    const { agent, serverName } = reaching({ service, endpoints }).of(registrationOf({ caBundle: 'CA' }));
    expect(serverName).toBe('things.default.svc');
    expect(agent.options).toMatchObject({ ca: 'CA', rejectUnauthorized: true, cert: 'a', key: 'b' });
    const { options } = extensions.of(registrationOf({ insecureSkipTLSVerify: true })).agent;
    expect([options.rejectUnauthorized, options.ca]).toEqual([false, undefined]);
    expect(extensions.unverified(registrationOf({ caBundle: 'CA' })).agent.options.rejectUnauthorized).toBe(false);
  });

  it('keeps its connections as long as what it is shown stays the same', () => {
    const { agent } = reaching({ service, endpoints }).of(registrationOf());
    expect(extensions.of(registrationOf({ uid: 'other' })).agent).toBe(agent);
    pair = { cert: 'c', key: 'd' };
    const renewed = extensions.of(registrationOf()).agent;
    expect(renewed).not.toBe(agent);
    extensions.keep([registrationOf()]);
    expect(extensions.of(registrationOf()).agent).toBe(renewed);
    extensions.keep([]);
    expect(extensions.of(registrationOf()).agent).not.toBe(renewed);
  });

  it('keeps none for a trust that nobody has any more', () => {
    const before = reaching({ service, endpoints }).of(registrationOf({ caBundle: 'A' })).agent;
    const unverified = extensions.unverified(registrationOf()).agent;
    extensions.keep([registrationOf({ caBundle: 'B' })]);
    expect(extensions.unverified(registrationOf()).agent).toBe(unverified);
    expect(extensions.of(registrationOf({ caBundle: 'A' })).agent).not.toBe(before);
  });
});
