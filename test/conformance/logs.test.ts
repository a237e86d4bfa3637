import { connect, constants } from 'node:http2';
import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { flood } from '../support/flood.js';
import { breakOff, makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { conformanceWithoutNames, expectRefusal, expectStatus, type Suite } from './conformance.js';

conformanceWithoutNames('Logs of pods [Connections]', (suite) => {
  describe.each([1, 2])('of an agent that speaks HTTP/%i', (version) => logsOf(suite, version === 2));
});

function logsOf({ api, namespace }: Pick<Suite, 'api' | 'namespace'>, http2: boolean): void {
  let agent: NodeAgent;
  let node: string;
  let pod: string;
  let ns: string;

  beforeAll(async () => {
    agent = await startNodeAgent({ http2 });
    ns = await namespace();
    node = `n-${ns}`;
    await agent.join(api, node);
    pod = await makePodOn(api, ns, 'p', node);
  });

  beforeEach(() => {
    agent.asked.length = 0;
    agent.answer = (_req, res) => res.end('line\n');
  });

  afterAll(async () => {
    await api.delete(`/api/v1/nodes/${node}`);
    await agent.stop();
  });

  test('the log is what the agent sends, as text', async () => {
    const answer = expectStatus(await api.get(`${pod}/log`), 200);
    expect(answer.text).toBe('line\n');
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
    expect(answer.headers).toHaveProperty('audit-id');
    expect(agent.asked).toEqual([`GET /containerLogs/${ns}/p/c`]);
  });

  test('the agent is asked with all options, and none of the credentials', async () => {
    const headers: unknown[] = [];
    agent.answer = (req, res) => {
      headers.push(req.headers);
      res.end();
    };
    const all =
      'container=c&timestamps=1&tailLines=5&sinceSeconds=60&previous=true&limitBytes=100&follow=true&insecureSkipTLSVerifyBackend=1';
    expectStatus(await api.get(`${pod}/log?${all}`), 200);
    expectStatus(await api.get(`${pod}/log?sinceTime=2026-01-02T03:04:05.5%2B01:00&follow=false&tailLines=0`), 200);
    expect(agent.asked).toEqual([
      `GET /containerLogs/${ns}/p/c?follow=true&limitBytes=100&previous=true&sinceSeconds=60&tailLines=5&timestamps=true`,
      `GET /containerLogs/${ns}/p/c?sinceTime=2026-01-02T02%3A04%3A05Z&tailLines=0`,
    ]);
    for (const each of headers) expect(each).not.toHaveProperty('authorization');
  });

  test.each([
    [204, 200, undefined, ''],
    [206, 200, undefined, ''],
    [301, 500, undefined, 'Get "https://elsewhere/": redirects forbidden'],
    [400, 400, 'BadRequest', 'said'],
    [401, 401, 'Unauthorized', 'the server has asked for the client to provide credentials ( pods/log p)'],
    [403, 403, 'Forbidden', 'said ( pods/log p)'],
    [404, 404, 'NotFound', 'the server could not find the requested resource ( pods/log p)'],
    [
      418,
      418,
      undefined,
      'the server responded with the status code 418 but did not return more information ( pods/log p)',
    ],
    [500, 500, 'InternalError', 'Internal error occurred: said'],
    [
      502,
      502,
      'InternalError',
      'an error on the server ("said") has prevented the request from succeeding ( pods/log p)',
    ],
    [503, 503, 'ServiceUnavailable', 'the server is currently unable to handle the request ( pods/log p)'],
  ])('an agent that answers %i is passed on as %i', async (code, status, reason, message) => {
    agent.answer = (_req, res) => {
      if (code === 301) res.setHeader('Location', 'https://elsewhere/');
      res.writeHead(code).end(code < 300 ? undefined : 'said');
    };
    const answer = expectStatus(await api.get(`${pod}/log`), status);
    if (status === 200) return;
    const said = answer.json<{ message: string; reason?: string; code: number }>();
    expect(said).toMatchObject({ kind: 'Status', status: 'Failure', message, code: status });
    expect(said.reason).toBe(reason);
  });

  test('an agent that is not there is a failure that says so', async () => {
    const gone = `gone-${ns}`;
    await api.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: gone } });
    const at = (addresses: object[], Port = 1) =>
      api.patch(`/api/v1/nodes/${gone}/status`, 'merge', {
        status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port } } },
      });
    const lost = await makePodOn(api, ns, 'lost', gone);
    expectStatus(await at([{ type: 'InternalIP', address: agent.address }]), 200);
    const { message, ...status } = expectStatus(await api.get(`${lost}/log`), 500).json();
    expect(message).toBe(
      `Get "https://${agent.address}:1/containerLogs/${ns}/lost/c": dial tcp ${agent.address}:1: connect: connection refused`,
    );
    expect(status).not.toHaveProperty('reason');
    for (const address of ['127.0.0.1', 'localhost', '169.254.169.254']) {
      expectStatus(await at([{ type: 'Hostname', address }]), 200);
      expect(expectRefusal(await api.get(`${lost}/log`), 400, 'BadRequest').message).toBe('address not allowed');
    }
    expectStatus(await api.delete(`/api/v1/nodes/${gone}`), 200);
  });

  test('what is followed arrives as it is written, and a client that leaves ends it at the agent', async () => {
    const written: { write(text: string): void; closed: Promise<void> }[] = [];
    agent.answer = (_req, res) => {
      res.write('first\n');
      const closed = new Promise<void>((resolve) => res.once('close', resolve));
      written.push({ write: (text) => res.write(text), closed });
    };
    const stream = await api.open('GET', `${pod}/log?follow=true`, {});
    const pieces = stream[Symbol.asyncIterator]();
    expect(String((await pieces.next()).value)).toBe('first\n');
    written[0]?.write('second\n');
    expect(String((await pieces.next()).value)).toBe('second\n');
    stream.destroy();
    await written[0]?.closed;
  });

  test('a client that leaves before the agent has answered ends it there too', async () => {
    const closed = new Promise<void>((resolve) => {
      agent.answer = (req) => {
        req.once('close', () => resolve());
        leave();
      };
    });
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    const { url, token } = api.settings;
    const asked = request(`${url}${pod}/log`, {
      signal: leaving.signal,
      headers: { authorization: `Bearer ${token}` },
      ca: api.settings.ca,
    });
    asked.on('error', () => undefined).end();
    await closed;
  });

  test('an agent that breaks off is a log that breaks off', async () => {
    agent.answer = (_req, res) => {
      res.write('half');
      res.write('', () => breakOff(res));
    };
    await expect(api.get(`${pod}/log`)).rejects.toThrow('aborted');
  });

  test('over HTTP/2 it is followed as well', async () => {
    let write: (text: string) => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      agent.answer = (_req, res) => {
        res.write('first\n');
        write = (text) => res.write(text);
        res.once('close', resolve);
      };
    });
    const { url, ca, token } = api.settings;
    const session = connect(url, { ...(ca !== undefined && { ca }) });
    const stream = session.request({ ':path': `${pod}/log?follow=1`, authorization: `Bearer ${token}` });
    const pieces = stream.setEncoding('utf8')[Symbol.asyncIterator]();
    expect((await pieces.next()).value).toBe('first\n');
    write('second\n');
    expect((await pieces.next()).value).toBe('second\n');
    stream.close(constants.NGHTTP2_CANCEL);
    await closed;
    session.destroy();
  });

  test('a reader that stands still stops the agent', async () => {
    const sent = new Promise<number>((resolve) => {
      agent.answer = (_req, res) => resolve(flood(res, 256));
    });
    const stream = await api.open('GET', `${pod}/log?follow=1`, {});
    expect(await sent).toBeLessThan(64);
    stream.destroy();
  });
}
