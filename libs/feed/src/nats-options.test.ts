import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsOptions, natsSettings } from './nats-options.js';

let dir: string;
let file: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'nats-options-'));
  file = join(dir, 'secret');
  writeFileSync(file, 'secret-of-the-file');
});
afterAll(() => rmSync(dir, { recursive: true }));

const of = (options: Partial<NatsOptions>): NatsOptions =>
  ({
    natsUrl: ['nats://a:4222'],
    natsSubjectPrefix: 'orch',
    natsOmitBodies: [],
    natsKeyRotation: 0,
    ...Object.fromEntries(
      (
        [
          'natsCredentialsFile',
          'natsUser',
          'natsPasswordFile',
          'natsTokenFile',
          'natsCaFile',
          'natsCertFile',
          'natsKeyFile',
        ] as const
      ).map((name) => [name, undefined]),
    ),
    ...options,
  }) as NatsOptions;

describe('options of NATS', () => {
  it('say who asks, and over what', () => {
    expect(natsSettings(of({}))).toEqual({ servers: ['nats://a:4222'] });
    expect(natsSettings(of({ natsUser: 'u', natsPasswordFile: file })).identity).toEqual({
      user: 'u',
      passwordFile: file,
    });
    expect(natsSettings(of({ natsTokenFile: file })).identity).toEqual({ tokenFile: file });
    expect(natsSettings(of({ natsCredentialsFile: file })).identity).toEqual({ credentialsFile: file });
    expect(natsSettings(of({ natsCaFile: file })).tls).toEqual({ caFile: file });
    expect(natsSettings(of({ natsCertFile: file, natsKeyFile: file })).tls).toEqual({ certFile: file, keyFile: file });
  });

  it('want TLS of every server where one URL says so', () => {
    expect(natsSettings(of({ natsUrl: ['nats://a', 'tls://b'] })).tls).toEqual({});
    expect(natsSettings(of({ natsUrl: ['TLS://b'] })).tls).toEqual({});
  });

  it.each<[Partial<NatsOptions>, RegExp]>([
    [{ natsUser: 'u' }, /--nats-user and --nats-password-file must be given together/],
    [{ natsPasswordFile: '/etc/hostname' }, /--nats-user and --nats-password-file/],
    [{ natsCertFile: '/etc/hostname' }, /--nats-cert-file and --nats-key-file/],
    [{ natsKeyFile: '/etc/hostname' }, /--nats-cert-file and --nats-key-file/],
    [{ natsTokenFile: '/etc/hostname', natsCredentialsFile: '/etc/hostname' }, /only one of them may be given/],
    [{ natsUrl: ['nats://me:s3cret@a:4222'] }, /it must not contain credentials/],
    [{ natsUrl: ['http://a'] }, /nats or tls, not http/],
    [{ natsUrl: ['tls://127.0.0.1:4222'] }, /host names, not addresses/],
    [{ natsUrl: ['a', 'nats://[::1]:4222'], natsCaFile: '/etc/hostname' }, /host names, not addresses/],
    [{ natsUrl: ['10.0.0.1'], natsCaFile: '/etc/hostname' }, /host names, not addresses/],
    [{ natsUrl: [], natsTokenFile: '/etc/hostname' }, /--nats-url: it is not given/],
    [{ natsUrl: [], natsCaFile: '/etc/hostname' }, /--nats-url: it is not given/],
    [{ natsTokenFile: '/nowhere/token' }, /\/nowhere\/token/],
  ])('are refused when they do not go together: %j', (options, message) => {
    expect(() => natsSettings(of(options))).toThrow(message);
    try {
      natsSettings(of(options));
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).not.toContain('s3cret');
    }
  });
});
