import { once } from 'node:events';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { acceptPartialChains, peerOptions, trustOptions } from './index.js';
import { type CertificateCase, certificateCases, selfSigned } from './testing/index.js';
import reference from './testing/reference.json' with { type: 'json' };

/** Lets a peer show what it would not trust itself. */
const WEAK = 'DEFAULT:@SECLEVEL=0';

let cases: ReadonlyMap<string, CertificateCase>;
let own: { cert: string; key: string };
beforeAll(async () => {
  cases = new Map((await certificateCases()).map((each) => [each.name, each]));
  own = await selfSigned();
});
const caseOf = (name: string): CertificateCase => cases.get(name) as CertificateCase;

/** Lines of Node whose default level of security asks for keys of 112 bits. */
const ASKS_FOR_MORE = Number(process.versions.node.split('.')[0]) >= 24;

/** Where the reference accepts and we refuse; docs/security.md says why. There is no case the other way round. */
const REFUSED = new Set([
  'two authorities of one name without key identifiers, the second has signed',
  'extended key usage: any',
  'key usage: an authority’s only',
  ...(ASKS_FOR_MORE ? ['RSA of 1,024 bits'] : []),
]);

async function opened(server: Server): Promise<number> {
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Whether a server is trusted that shows the chain of a case. */
async function asServer({ bundle, chain: cert, key }: CertificateCase, servername: string): Promise<string> {
  const server = createServer({ cert, key, ciphers: WEAK });
  const port = await opened(server);
  const socket = connect({
    host: '127.0.0.1',
    port,
    ...peerOptions({ ca: bundle }),
    ...(servername !== '127.0.0.1' && { servername }),
  });
  const outcome = await Promise.race([
    once(socket, 'secureConnect').then(() => 'accepted'),
    once(socket, 'error'),
  ]).catch((error) => String(error));
  socket.destroy();
  server.close();
  return outcome === 'accepted' ? outcome : 'refused';
}

/** Whether a client is that shows it. */
async function asClient({ bundle, chain: cert, key }: CertificateCase): Promise<string> {
  const server = createServer({ ...own, ca: bundle, requestCert: true, rejectUnauthorized: false }, (req, res) => {
    res.end((req.socket as TLSSocket).authorized ? 'accepted' : 'refused');
  });
  acceptPartialChains(server);
  const port = await opened(server);
  try {
    const asked = request({ host: '127.0.0.1', port, cert, key, ca: own.cert, agent: false, ciphers: WEAK }).end();
    const [answer] = await once(asked, 'response');
    let text = '';
    for await (const chunk of answer) text += chunk;
    return text;
  } catch {
    return 'refused';
  } finally {
    server.close();
  }
}

describe('every case, as the reference decides it', () => {
  for (const [name, row] of Object.entries(reference.certificates)) {
    const expected = (way: 'address' | 'name' | 'service' | 'client') =>
      row[way] === 'accepted' && !REFUSED.has(name) ? 'accepted' : 'refused';
    it(name, async () => {
      const found = {
        address: await asServer(caseOf(name), '127.0.0.1'),
        name: await asServer(caseOf(name), 'localhost'),
        service: await asServer(caseOf(name), 'ext.trust.svc'),
        client: await asClient(caseOf(name)),
      };
      const ways = ['address', 'name', 'service', 'client'] as const;
      expect(found).toEqual(Object.fromEntries(ways.map((way) => [way, expected(way)])));
    });
  }
});

describe('a bundle', () => {
  it('without a certificate trusts nobody, not the roots that Node ships', () => {
    for (const ca of ['', 'no PEM', Buffer.alloc(0)]) {
      expect(() => trustOptions(ca)).toThrow('unable to load root certificates');
      expect(() => peerOptions({ ca }).secureContext).toThrow('unable to load root certificates');
    }
  });

  it('that is not given leaves the roots that Node ships as they are', () => {
    expect(trustOptions(undefined)).toEqual({});
  });

  it('is parsed once, however many connections use it', () => {
    const options = peerOptions({ ca: own.cert });
    expect(options.secureContext).toBe(options.secureContext);
  });
});

it('a server that is shown something else goes on to accept partial chains', async () => {
  const name = 'the intermediate alone is trusted, and not sent';
  const { bundle, chain: cert, key } = caseOf(name);
  const server = createServer({ ...own, requestCert: true, rejectUnauthorized: false }, (req, res) => {
    res.end(String((req.socket as TLSSocket).authorized));
  });
  server.setSecureContext({ ...own, ca: bundle });
  acceptPartialChains(server);
  const port = await opened(server);
  const [answer] = await once(request({ port, cert, key, ca: own.cert, agent: false }).end(), 'response');
  expect(String(await answer.toArray())).toBe('true');
  server.close();
});
