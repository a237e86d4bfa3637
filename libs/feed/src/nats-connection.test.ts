import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NatsConnection, nkeys } from '@nats-io/transport-node';
import { type CertificateCase, certificateCases } from '@orch/tls/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { KeptConnection, type NatsConnectionOptions } from './nats-connection.js';
import { available, cleanUp, freePort, kill, startServer, stops, testDirectory } from './testing/nats-server.js';

afterEach(cleanUp);

/** A connection with these options, as it comes and goes; promises resolve with what comes next. */
function keep(options: Omit<NatsConnectionOptions, 'reconnectWait'>) {
  const failures: string[] = [];
  const connections: NatsConnection[] = [];
  let wake = (): void => {};
  const kept = new KeptConnection(
    { ...options, reconnectWait: 20 },
    {
      connected(connection) {
        connections.push(connection);
        wake();
      },
      disconnected: () => {},
      failed(error) {
        failures.push(String(error));
        wake();
      },
    },
  );
  stops.push(() => kept.close());
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    failures,
    connected: (times = 1) => until(() => connections.length >= times),
    failed: (message: RegExp) => until(() => failures.some((failure) => message.test(failure))),
    /** Rejects when the server refuses. */
    works: () => connections.at(-1)?.flush(),
  };
}

function fileWith(text: string): string {
  const file = join(testDirectory(), 'file');
  writeFileSync(file, text);
  return file;
}

/** In one step, as a Secret is replaced under a pod. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

const passwords = (password: string) => `authorization { users: [{ user: "orch", password: "${password}" }] }`;

describe.skipIf(!available)('a connection to NATS', () => {
  it('is made by user and password, and the file is read again when the password changes', async () => {
    const port = await freePort();
    const server = await startServer(port, passwords('first'));
    const passwordFile = fileWith('first\n');
    const bus = keep({ servers: [`127.0.0.1:${port}`], identity: { user: 'orch', passwordFile } });
    await bus.connected();
    await bus.works();
    await kill(server);
    await startServer(port, passwords('second'));
    await bus.failed(/Authorization/i);
    replace(passwordFile, 'second');
    await bus.connected(2);
    await bus.works();
    expect(bus.failures.join()).not.toMatch(/first|second/);
  });

  it('goes on trying while it has no credentials, a wrong password, or a file that is away', async () => {
    const port = await freePort();
    await startServer(port, passwords('right'));
    const servers = [`127.0.0.1:${port}`];
    const passwordFile = fileWith('wrong');
    const nobody = keep({ servers });
    const wrong = keep({ servers, identity: { user: 'orch', passwordFile } });
    const absent = keep({ servers, identity: { user: 'orch', passwordFile: `${passwordFile}.absent` } });
    await Promise.all([
      nobody.failed(/Authorization/i),
      wrong.failed(/Authorization/i),
      absent.failed(/ENOENT|closed/i),
    ]);
    replace(passwordFile, 'right');
    replace(`${passwordFile}.absent`, 'right');
    await Promise.all([wrong.connected(), absent.connected()]);
    expect([...wrong.failures, ...absent.failures].join()).not.toMatch(/wrong|right/);
  });

  it('is made by a token', async () => {
    const port = await freePort();
    await startServer(port, 'authorization { token: "a-token" }');
    const bus = keep({ servers: [`127.0.0.1:${port}`], identity: { tokenFile: fileWith('a-token\n') } });
    await bus.connected();
    await bus.works();
  });

  it('is made by credentials: a JWT and the key that it was given to', async () => {
    const port = await freePort();
    const { configuration, credentials } = operatorMode();
    await startServer(port, configuration);
    const servers = [`127.0.0.1:${port}`];
    const bus = keep({ servers, identity: { credentialsFile: fileWith(credentials) } });
    const stranger = keep({ servers, identity: { credentialsFile: fileWith(operatorMode().credentials) } });
    await Promise.all([bus.connected(), stranger.failed(/Authorization/i)]);
    await bus.works();
    expect(bus.failures.join()).not.toContain('SU');
  });

  it('is made over TLS by a client certificate, and to nobody whose certificate is not trusted', async () => {
    const port = await freePort();
    const pki = makePki();
    const tls = `cert_file: "${pki.cert}", key_file: "${pki.key}", ca_file: "${pki.ca}", verify: true`;
    await startServer(port, `tls { ${tls} }`);
    const servers = [`tls://localhost:${port}`];
    const bus = keep({ servers, tls: { caFile: pki.ca, certFile: pki.clientCert, keyFile: pki.clientKey } });
    const nobody = keep({ servers, tls: { caFile: pki.ca } });
    const distrustful = keep({ servers, tls: { certFile: pki.clientCert, keyFile: pki.clientKey } });
    // With TLS 1.3 a client whose certificate is missing hears of it too late to say why.
    await Promise.all([bus.connected(), nobody.failed(/timeout/i), distrustful.failed(/certificate/i)]);
    await bus.works();
  });

  it('is made to nobody whose certificate names somebody else', async () => {
    const port = await freePort();
    const pki = makePki('elsewhere');
    await startServer(port, `tls { cert_file: "${pki.cert}", key_file: "${pki.key}" }`);
    const bus = keep({ servers: [`localhost:${port}`], tls: { caFile: pki.ca } });
    await bus.failed(/does not match certificate/);
  });

  it.each([
    ['the certificate itself is trusted, its root is not', true],
    ['the intermediate alone is trusted, and not sent', true],
    ['another certificate of the same root is trusted', false],
    ['the name stands in the common name only', false],
  ])('is made or not where %s: %s', async (name, made) => {
    const { bundle, chain, key } = (await certificateCases()).find((each) => each.name === name) as CertificateCase;
    const dir = testDirectory();
    const file = (called: string, text: string) => {
      writeFileSync(join(dir, called), text);
      return join(dir, called);
    };
    const port = await freePort();
    await startServer(port, `tls { cert_file: "${file('cert', chain)}", key_file: "${file('key', key)}" }`);
    const bus = keep({ servers: [`tls://localhost:${port}`], tls: { caFile: file('ca', bundle) } });
    await (made ? bus.connected() : bus.failed(/certificate|altnames/));
  });

  it('is not made without TLS where TLS is wanted', async () => {
    const port = await freePort();
    await startServer(port);
    const bus = keep({ servers: [`tls://127.0.0.1:${port}`], tls: {} });
    await bus.failed(/does not support 'tls'/);
  });
});

/** A server that believes one operator, and credentials of a user of an account of his. */
function operatorMode(): { configuration: string; credentials: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const token = (issuer: typeof operator, subject: typeof operator, nats: object): string => {
    const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
    const claims = { jti: sub, iat: 1_700_000_000, iss, sub, name: 'test', nats: { version: 2, ...nats } };
    const parts = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const text = parts.join('.');
    return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
  };
  const none = { subs: -1, data: -1, payload: -1 };
  const limits = { ...none, conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true };
  const accountToken = token(operator, account, { type: 'account', limits });
  const userToken = token(account, user, { type: 'user', pub: {}, sub: {}, ...none });
  const operatorFile = fileWith(token(operator, operator, { type: 'operator' }));
  const seed = Buffer.from(user.getSeed()).toString();
  return {
    configuration: [
      `operator: "${operatorFile}"`,
      'resolver: MEMORY',
      `resolver_preload: { ${account.getPublicKey()}: "${accountToken}" }`,
    ].join('\n'),
    credentials: [
      `-----BEGIN NATS USER JWT-----\n${userToken}\n------END NATS USER JWT------\n`,
      `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    ].join('\n'),
  };
}

/** An authority, a certificate for a server on loopback, and one for a client, as paths of files. */
function makePki(host = 'localhost') {
  const dir = testDirectory();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority', '-days', '2');
  writeFileSync(join(dir, 'names'), `subjectAltName=DNS:${host}`);
  for (const name of ['server', 'client']) {
    openssl('req', ...curve, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...from, '-extfile', 'names');
  }
  const at = (name: string) => join(dir, name);
  return {
    ...{ ca: at('ca.pem'), cert: at('server.pem'), key: at('server.key') },
    ...{ clientCert: at('client.pem'), clientKey: at('client.key') },
  };
}
