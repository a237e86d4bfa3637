import { NO_REMOTE_DOCUMENTS } from '@orch/discovery';
import { namesOf } from '@orch/machinery';
import { registrationOf, startExtension, type TestExtension } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RemoteDiscovery } from './remote-discovery.js';

const POLL = { timeout: 20_000, interval: 10 };
const names = namesOf('kubernetes');
const slow = registrationOf({
  ...{ name: 'v1.slow.com', group: 'slow.com', uid: 's' },
  service: { namespace: 'default', name: 'slow', port: 443 },
});
const gone = { status: 'False', reason: 'FailedDiscoveryCheck', message: '' };

let extension: TestExtension;
beforeAll(async () => {
  extension = await startExtension();
  extension.answer = (req, res) => {
    const isSlow = req.headers.host === 'slow';
    if (isSlow) return;
    const known = req.url === '/apis/example.com/v1';
    res
      .writeHead(known ? 200 : 404)
      .end(JSON.stringify({ groupVersion: 'example.com/v1', resources: [{ name: 'things' }] }));
  };
});
afterAll(() => extension.stop());

/** What is told now, in short. */
const told = (discovery: RemoteDiscovery) =>
  discovery.documents.versions.map(({ group, freshness, resources }) => [group, freshness, resources.length]);

describe('what other servers tell', () => {
  it('is known of those that answer, whoever else does not', async () => {
    const of = ({ group }: { group: string }) => ({
      ...extension.target,
      ...(group === 'slow.com' && { serverName: 'slow' }),
    });
    const discovery = new RemoteDiscovery({ extensions: { of }, names, maxBytes: 10_000 });
    expect(discovery.documents).toBe(NO_REMOTE_DOCUMENTS);
    discovery.follow([slow, registrationOf()]);
    expect(told(discovery)).toEqual([
      ['slow.com', 'Stale', 0],
      ['example.com', 'Stale', 0],
    ]);
    const [one, other] = [
      ['slow.com', 'Stale', 0],
      ['example.com', 'Current', 1],
    ];
    await expect.poll(() => told(discovery), POLL).toEqual([one, other]);
    const { documents } = discovery;
    discovery.follow([slow, registrationOf({ stored: 2n })]);
    expect(discovery.documents, 'nothing else is told').toBe(documents);
    discovery.follow([slow, registrationOf({ stored: 3n, reported: gone })]);
    expect(told(discovery), 'what was told last').toEqual([one, ['example.com', 'Stale', 1]]);
    discovery.follow([slow]);
    expect(told(discovery)).toEqual([one]);
    discovery.stop();
  });

  it('is known whatever of its descriptions does not come, and whichever of its versions is not there', async () => {
    const before = extension.answer;
    extension.answer = (req, res) => {
      if (req.url?.startsWith('/openapi/')) return;
      before(req, res);
    };
    const discovery = new RemoteDiscovery({ extensions: { of: () => extension.target }, names, maxBytes: 10_000 });
    const old = registrationOf({ name: 'v1alpha1.example.com', version: 'v1alpha1', reported: gone });
    discovery.follow([old, registrationOf()]);
    await expect
      .poll(() => told(discovery), POLL)
      .toEqual([
        ['example.com', 'Stale', 0],
        ['example.com', 'Current', 1],
      ]);
    discovery.stop();
    extension.answer = before;
  });

  it('is asked for again soon by those who did not tell', async () => {
    let refuses = true;
    const of = () => {
      if (refuses) throw new Error('there is no service');
      return extension.target;
    };
    const discovery = new RemoteDiscovery({ extensions: { of }, names, maxBytes: 10_000 });
    discovery.follow([registrationOf()]);
    expect(told(discovery)).toEqual([['example.com', 'Stale', 0]]);
    refuses = false;
    await expect.poll(() => told(discovery), POLL).toEqual([['example.com', 'Current', 1]]);
    discovery.stop();
  });
});
