import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { flood } from '../support/flood.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { openUpgraded, SPDY } from '../support/upgraded.js';
import { conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Own: 1\r\n\r\n';

conformanceWithoutNames('Connections to pods by another protocol [Connections]', ({ api, namespace }) => {
  let agent: NodeAgent;
  let node: string;
  let pod: string;
  let ns: string;

  beforeAll(async () => {
    agent = await startNodeAgent();
    ns = await namespace();
    node = `n-${ns}`;
    await agent.join(api, node);
    pod = await makePodOn(api, ns, 'p', node);
  });

  /** The agent sends back what it gets. */
  const echo = (_req: unknown, socket: Socket): void => {
    socket.write(SWITCHED);
    socket.pipe(socket);
  };

  beforeEach(() => {
    agent.asked.length = 0;
    agent.upgrade = echo;
  });

  afterAll(async () => {
    await api.delete(`/api/v1/nodes/${node}`);
    await agent.stop();
  });

  const open = (path: string, headers: Readonly<Record<string, string | readonly string[]>> = SPDY, method = 'POST') =>
    openUpgraded(api.settings, method, path, headers);

  test('bytes go both ways as they are', async () => {
    const { status, headers, socket, read } = await open(`${pod}/exec?command=ls`);
    expect(status).toBe(101);
    expect(headers).toContain('Upgrade: SPDY/3.1');
    expect(headers).toContain('x-own: 1');
    expect(headers.some((each) => each.startsWith('Audit-Id: '))).toBe(true);
    const bytes = randomBytes(1 << 20).toString('latin1');
    socket.write(bytes, 'latin1');
    expect(hash(await read(bytes.length))).toBe(hash(bytes));
    socket.destroy();
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  const hash = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex');

  test.each([
    [
      'exec?command=ls&command=a%20b&stdin=1&stdout=true&stderr=0&tty=true&container=c',
      'exec',
      '/c?command=ls&command=a+b&input=1&output=1&tty=1',
    ],
    ['exec', 'exec', '/c'],
    ['attach?stdout=1&stderr=&stdin=false', 'attach', '/c?error=1&output=1'],
    ['portforward', 'portForward', ''],
    ['portforward?ports=80,81&ports=82', 'portForward', '?port=80%2C81%2C82'],
  ])('%s asks the agent as it understands', async (asked, what, rest) => {
    for (const method of ['GET', 'POST']) {
      const { status, socket } = await open(`${pod}/${asked}`, SPDY, method);
      expect(status).toBe(101);
      socket.destroy();
    }
    expect(agent.asked).toEqual(['GET', 'POST'].map((method) => `${method} /${what}/${ns}/p${rest}`));
  });

  test('headers go with it, each as often as it came, but for credentials', async () => {
    let raw: string[] = [];
    agent.upgrade = (req, socket) => {
      raw = req.rawHeaders;
      echo(req, socket);
    };
    const protocols = ['v4.channel.k8s.io', 'v3.channel.k8s.io'];
    const asked = { ...SPDY, 'X-Stream-Protocol-Version': protocols, 'X-Remote-User': 'evil', 'X-Other': 'x' };
    const { socket } = await open(`${pod}/exec?command=ls`, asked);
    socket.destroy();
    const values = (name: string) => raw.filter((_each, at) => raw[at - 1]?.toLowerCase() === name && at % 2 === 1);
    expect(values('x-stream-protocol-version')).toEqual(protocols);
    expect(values('x-other')).toEqual(['x']);
    expect(values('x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(values('host')).toEqual([new URL(api.settings.url).host]);
    for (const secret of ['authorization', 'x-remote-user']) expect(values(secret)).toEqual([]);
  });

  test('a browser is taken at its word, and its token stays here', async () => {
    let offered: string | undefined;
    agent.upgrade = (req, socket) => {
      offered = req.headers['sec-websocket-protocol'];
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
    };
    const token = Buffer.from(api.settings.token ?? '').toString('base64url');
    const protocol = `base64url.bearer.authorization.k8s.io.${token}, v4.channel.k8s.io`;
    const { status, read } = await openUpgraded({ ...api.settings, token: 'none' }, 'GET', `${pod}/exec?command=ls`, {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Protocol': protocol,
      Authorization: [],
    });
    expect(status).toBe(101);
    expect(await read()).toBe('hello');
    expect(offered).toBe('v4.channel.k8s.io');
  });

  test.each([
    [200, 500, 'invalid upgrade response: status code 200'],
    [302, 500, 'invalid upgrade response: status code 302'],
    [400, 400, 'said'],
    [403, 403, 'said'],
    [500, 500, 'said'],
  ])('an agent that answers %i', async (code, status, said) => {
    agent.upgrade = (_req, socket) =>
      socket.end(`HTTP/1.1 ${code} X\r\nContent-Length: 4\r\nX-Own: 1\r\nConnection: close\r\n\r\nsaid`);
    const answer = await open(`${pod}/exec?command=ls`);
    expect(answer.status).toBe(status);
    expect(await answer.read()).toContain(said);
    expect(answer.headers.includes('x-own: 1')).toBe(code >= 400);
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  test('options are judged before anything is looked up, and that before the upgrade', async () => {
    const bare = async (what: string) => api.post(`/api/v1/namespaces/${ns}/pods/${what}`, '');
    expect(expectRefusal(await bare('none/exec?dryRun=All'), 400, 'BadRequest').message).toBe(
      'dryRun is not supported',
    );
    expectRefusal(await bare('none/portforward?ports=x'), 400, 'BadRequest');
    expectRefusal(await bare('none/exec'), 404, 'NotFound');
    expectRefusal(await bare('p/exec?container=x'), 400, 'BadRequest');
    for (const what of ['p/exec', 'p/attach', 'p/portforward'])
      expect(expectRefusal(await bare(what), 400, 'BadRequest').message).toBe('Upgrade request required');
    expect(agent.asked).toEqual([]);
  });

  test('an agent that is not there', async () => {
    const gone = `gone-${ns}`;
    await agent.join(api, gone);
    const status = { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
    expectStatus(await api.patch(`/api/v1/nodes/${gone}/status`, 'merge', { status }), 200);
    const lost = await makePodOn(api, ns, 'lost', gone);
    const answer = await open(`${lost}/attach`);
    expect(answer.status).toBe(500);
    expect(JSON.parse(await answer.read())).toMatchObject({
      message: `error dialing backend: dial tcp ${agent.address}:1: connect: connection refused`,
      code: 500,
    });
    expectStatus(await api.delete(`/api/v1/nodes/${gone}`), 200);
  });

  test('a client that leaves before the agent has answered leaves nothing there', async () => {
    const asked = new Promise<void>((resolve) => {
      agent.upgrade = () => resolve();
    });
    const { url, ca, token } = api.settings;
    const opening = openUpgraded(
      { url, token, ...(ca && { ca }) },
      'POST',
      `${pod}/exec?command=ls`,
      SPDY,
      (socket) => {
        void asked.then(() => socket.destroy());
      },
    );
    await asked;
    await opening;
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  test('an agent that goes ends the client', async () => {
    const { socket } = await open(`${pod}/exec?command=ls`);
    const ended = once(socket, 'end');
    for (const connection of agent.connections) connection.destroy();
    await ended;
    socket.destroy();
  });

  test('the end of one side is that of the other, behind all that was sent', async () => {
    const bytes = 'x'.repeat(4 << 20);
    agent.upgrade = (_req, socket) => {
      socket.write(SWITCHED);
      socket.end(bytes);
    };
    const { read } = await open(`${pod}/exec?command=ls`);
    expect((await read()).length).toBe(bytes.length);
    let got = 0;
    const ended = new Promise<void>((resolve) => {
      agent.upgrade = (_req, socket) => {
        socket.write(SWITCHED);
        socket.on('data', (piece) => {
          got += piece.length;
        });
        socket.once('end', resolve);
      };
    });
    const { socket } = await open(`${pod}/exec?command=ls`);
    socket.end(bytes);
    await ended;
    expect(got).toBe(bytes.length);
  });

  test.each(['client', 'agent'])('the %s does not read: that stops the other side', async (stopped) => {
    let flooded: Promise<number> | undefined;
    agent.upgrade = (_req, socket) => {
      socket.pause();
      socket.write(SWITCHED);
      if (stopped === 'client') flooded = flood(socket, 200);
    };
    const { socket } = await open(`${pod}/portforward`);
    if (stopped === 'client') socket.pause();
    else flooded = flood(socket, 200);
    expect(await flooded).toBeLessThan(64);
    for (const connection of agent.connections) connection.destroy();
    socket.destroy();
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  test('100 streams at once', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => open(`${pod}/exec?command=ls`)));
    const answers = all.map(async ({ socket, read }, at) => {
      socket.write(`number ${at}`);
      return read(`number ${at}`.length);
    });
    expect(await Promise.all(answers)).toEqual(all.map((_each, at) => `number ${at}`));
    for (const { socket } of all) socket.destroy();
    await expect.poll(() => agent.connections.size).toBe(0);
  });
});
