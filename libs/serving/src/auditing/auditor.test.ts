import { once } from 'node:events';
import { connect } from 'node:http2';
import type { AdmissionPlugin } from '@orch/admission';
import { type AuditBackend, type AuditEvent, type EventRecord, type Policy, PolicyEvaluator } from '@orch/audit';
import { authenticated } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { createLogger } from '@orch/runtime';
import {
  type ListenOverrides,
  listenerOf,
  openSecureServer,
  openServer,
  type TestApi,
  type TestServer,
  TOKEN,
  testApi,
} from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Auditor } from './auditor.js';

const PODS = '/api/v1/namespaces/default/configmaps';
const JANE = authenticated({ name: 'jane', uid: 'u-1', groups: ['dev'], extra: { scope: ['a'] } }, 'token');
const servers: TestServer[] = [];
const apis: TestApi[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const api of apis.splice(0)) api.close();
});

type Told = AuditEvent & { requestObject?: unknown; responseObject?: unknown };

/** Keeps the events of requests, and answers as it is told to. */
class Kept implements AuditBackend {
  readonly records: EventRecord[] = [];
  answers: (event: EventRecord) => Promise<boolean> | undefined = () => undefined;

  submit(event: EventRecord) {
    this.records.push(event);
    return this.answers(event);
  }

  get events(): Told[] {
    return this.records.map(({ json }) => JSON.parse(json) as Told);
  }

  get stages(): string[] {
    return this.events.map(({ stage }) => stage);
  }

  async close() {}
}

async function serve(
  policy: Policy,
  overrides: ListenOverrides = {},
  maxBodyBytes = 1 << 20,
  plugins: readonly AdmissionPlugin[] = [],
) {
  const api = await testApi({}, 'orch', undefined, {}, plugins);
  apis.push(api);
  const kept = new Kept();
  const counts = { judged: 0, recorded: 0, rejected: 0 };
  const auditor = new Auditor({
    policy: new PolicyEvaluator(policy),
    backend: kept,
    observer: {
      judged: () => void counts.judged++,
      recorded: () => void counts.recorded++,
      rejected: () => void counts.rejected++,
    },
    scheme: api.deps.scheme,
    apiVersion: 'audit.orch.io/v1',
    maxBodyBytes,
  });
  const authenticator = { authenticate: async () => JANE };
  const server = await openServer(listenerOf(api, { authenticator, auditor, ...overrides }));
  servers.push(server);
  return { api, kept, counts, auditor, ask: server.ask };
}

const only = (level: string, more: object = {}): Policy => ({ rules: [{ level }], ...more });
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });

describe('a request', () => {
  it.each([
    ['Metadata', { 'example.com/said': 'yes' }],
    ['Request', { 'example.com/said': 'yes', 'example.com/body': 'secret' }],
    ['RequestResponse', { 'example.com/said': 'yes', 'example.com/body': 'secret' }],
  ])('has what plugins note of its content only where that is told: %s', async (level, annotations) => {
    const noting: AdmissionPlugin = {
      name: 'Noting',
      handles: ({ resource }) => resource === 'configmaps',
      validate(attributes) {
        attributes.annotate('example.com/said', 'yes');
        attributes.annotateBody('example.com/body', () => 'secret');
      },
    };
    const { kept, ask } = await serve(only(level, { omitStages: ['RequestReceived'] }), {}, undefined, [noting]);
    const headers = { 'content-type': 'application/json' };
    await ask(PODS, { method: 'POST', headers, body: JSON.stringify(configMap('a')) });
    expect(kept.events[0]?.annotations).toMatchObject(annotations);
    if (level === 'Metadata') expect(kept.events[0]?.annotations).not.toHaveProperty(['example.com/body']);
  });

  it.each([
    ['configmaps', PODS, configMap('a')],
    [
      'selfsubjectaccessreviews',
      '/apis/authorization.orch.io/v1/selfsubjectaccessreviews',
      { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    ],
  ])('has the first of what is noted under a key, that of the server: %s', async (resource, path, body) => {
    const noting: AdmissionPlugin = {
      name: 'Noting',
      handles: (target) => target.resource === resource,
      validate(attributes) {
        attributes.annotate('authorization.orch.io/decision', 'forbid');
        attributes.annotate('example.com/said', 'first');
        attributes.annotate('example.com/said', 'second');
        attributes.annotate('example.com/again', 'same');
        attributes.annotate('example.com/again', 'same');
      },
    };
    const lines: string[] = [];
    const logger = createLogger({ format: 'text', verbosity: 0, write: (line) => void lines.push(line) });
    const config = only('Metadata', { omitStages: ['RequestReceived'] });
    const { kept, ask } = await serve(config, { logger }, undefined, [noting]);
    const headers = { 'content-type': 'application/json' };
    for (let time = 0; time < 2; time++) await ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const told = lines.filter((line) => line.includes('an audit annotation was dropped'));
    expect(told, 'each key once').toEqual([
      expect.stringContaining('authorization.orch.io/decision'),
      expect.stringContaining('example.com/said'),
    ]);
    expect(kept.events[0]?.annotations).toMatchObject({
      'authorization.orch.io/decision': 'allow',
      'example.com/said': 'first',
    });
  });

  it('is told of when it comes and when it is answered', async () => {
    const { kept, ask, counts } = await serve(only('Metadata'));
    const headers = {
      'User-Agent': 'kubectl/1',
      'Audit-Id': 'my-id',
      'X-Forwarded-For': '10.0.0.1, bad, ::ffff:10.0.0.2',
    };
    const { headers: answered } = await ask(`${PODS}/x?pretty=0`, { headers });
    expect(answered['audit-id']).toBe('my-id');
    const [received, complete] = kept.events;
    const common = {
      kind: 'Event',
      apiVersion: 'audit.orch.io/v1',
      level: 'Metadata',
      auditID: 'my-id',
      requestURI: `${PODS}/x?pretty=0`,
      verb: 'get',
      user: { username: 'jane', uid: 'u-1', groups: ['dev', 'system:authenticated'], extra: { scope: ['a'] } },
      sourceIPs: ['10.0.0.1', '10.0.0.2', '127.0.0.1'],
      userAgent: 'kubectl/1',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'x', apiVersion: 'v1' },
      requestReceivedTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    };
    expect(received).toEqual({
      ...common,
      stage: 'RequestReceived',
      stageTimestamp: received?.requestReceivedTimestamp,
    });
    expect(complete).toEqual({
      ...common,
      stage: 'ResponseComplete',
      stageTimestamp: expect.stringMatching(/\.\d{6}Z$/),
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: 'configmaps "x" not found',
        reason: 'NotFound',
        details: { name: 'x', kind: 'configmaps' },
        code: 404,
      },
      annotations: { 'authorization.orch.io/decision': 'allow', 'authorization.orch.io/reason': '' },
    });
    expect(String(complete?.stageTimestamp) > String(received?.stageTimestamp)).toBe(true);
    expect(kept.events).toHaveLength(2);
    expect(counts).toEqual({ judged: 1, recorded: 2, rejected: 0 });
  });

  it('of which the policy says nothing leaves nothing', async () => {
    const { kept, ask, counts } = await serve({ rules: [{ level: 'None', verbs: ['get'] }] });
    await ask(`${PODS}/x`);
    await ask(PODS);
    expect(kept.records).toEqual([]);
    expect(counts).toEqual({ judged: 2, recorded: 0, rejected: 0 });
  });

  it('has its bodies told where that is asked for, and only there', async () => {
    for (const [level, bodies] of [
      ['Metadata', []],
      ['Request', ['requestObject']],
      ['RequestResponse', ['requestObject', 'responseObject']],
    ] as const) {
      const { kept, ask } = await serve(only(level, { omitStages: ['RequestReceived'] }));
      await ask(PODS, { method: 'POST', body: JSON.stringify(configMap('a')) });
      const [event] = kept.events;
      expect(Object.keys(event ?? {}).filter((key) => key.endsWith('Object'))).toEqual(bodies);
      expect(event).toMatchObject({ objectRef: { name: 'a', resource: 'configmaps' }, responseStatus: { code: 201 } });
      if (level !== 'Metadata') expect(event?.requestObject).toMatchObject(configMap('a'));
      if (level === 'RequestResponse')
        expect(event?.responseObject).toMatchObject({ kind: 'ConfigMap', metadata: { uid: expect.any(String) } });
      else expect(kept.records[0]?.json).not.toContain('managedFields');
    }
  });

  it.each([
    'application/json',
    'application/yaml',
    'application/vnd.orch.protobuf',
    'application/json;as=Table;g=meta.orch.io;v=v1',
  ])('has its answer told as JSON on one line, whatever goes out: %s', async (accept) => {
    const { kept, ask, api } = await serve(only('RequestResponse', { omitManagedFields: true }));
    await api.create('configmaps', configMap('a'));
    for (const path of [`${PODS}/a?pretty=1`, PODS]) {
      kept.records.length = 0;
      const answer = await ask(path, { headers: { Accept: accept } });
      expect(answer.status).toBe(200);
      const text = kept.records.at(-1)?.json ?? '';
      expect(text).not.toMatch(/\n|managedFields/);
      expect(text).toContain('"name":"a"');
      expect(kept.events.at(-1)?.responseObject).toMatchObject({ kind: expect.stringMatching(/^(ConfigMap|Table)/) });
    }
  });

  it('has a patch told as it was sent', async () => {
    const { kept, ask, api } = await serve(only('Request'));
    await api.create('configmaps', configMap('a'));
    const body = '[{"op": "add",\n "path": "/data/c", "value": "d"}]';
    const headers = { 'Content-Type': 'application/json-patch+json' };
    expect((await ask(`${PODS}/a`, { method: 'PATCH', headers, body })).status).toBe(200);
    expect(kept.events.at(-1)?.requestObject).toEqual([{ op: 'add', path: '/data/c', value: 'd' }]);
    const apply = { 'Content-Type': 'application/apply-patch+yaml' };
    await ask(`${PODS}/a?fieldManager=m`, {
      method: 'PATCH',
      headers: apply,
      body: 'apiVersion: v1\nkind: ConfigMap\n',
    });
    expect(kept.events.at(-1)?.requestObject).toEqual({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it('loses bodies that are too large, and says so', async () => {
    const { kept, ask } = await serve(only('RequestResponse'), {}, 100);
    const body = JSON.stringify({ ...configMap('a'), data: { a: 'x'.repeat(1000) } });
    await ask(PODS, { method: 'POST', body });
    const event = kept.events.at(-1);
    expect([event?.requestObject, event?.responseObject]).toEqual([undefined, undefined]);
    expect(event?.annotations).toMatchObject({ 'audit.orch.io/truncated': 'true' });
  });

  it('of another has both users told', async () => {
    const authorizer = { authorize: async () => ({ decision: 'allow', reason: 'because' }) as const };
    const { kept, ask } = await serve(only('Metadata'), { authorizer });
    await ask(`${PODS}/x`, { method: 'DELETE', headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': 'ops' } });
    const [received, complete] = kept.events;
    expect([received?.user.username, received?.impersonatedUser]).toEqual(['jane', undefined]);
    expect(complete?.user.username).toBe('jane');
    expect(complete?.impersonatedUser).toEqual({ username: 'bob', groups: ['ops', 'system:authenticated'] });
    expect(complete?.annotations?.['authorization.orch.io/reason']).toBe('because');
    expect(kept.events).toHaveLength(2);
  });

  it('that is forbidden has a note of why', async () => {
    const authorizer = { authorize: async () => ({ decision: 'no-opinion', reason: 'no rule' }) as const };
    const { kept, ask } = await serve(only('Metadata'), { authorizer });
    await ask(`${PODS}/x`);
    expect(kept.events.at(-1)).toMatchObject({
      responseStatus: { code: 403, reason: 'Forbidden' },
      annotations: { 'authorization.orch.io/decision': 'forbid', 'authorization.orch.io/reason': 'no rule' },
    });
  });

  it('whose caller is not known is told of once, for nobody', async () => {
    const authenticator = {
      authenticate: async () => {
        throw new StatusError('Unauthorized', 'Unauthorized');
      },
    };
    const { kept, ask } = await serve(
      { rules: [{ level: 'None', users: ['system:anonymous'] }, { level: 'Metadata' }] },
      { authenticator },
    );
    expect((await ask(`${PODS}/x`)).status).toBe(401);
    expect(kept.events).toMatchObject([
      {
        stage: 'ResponseStarted',
        user: {},
        responseStatus: { code: 401, reason: 'Unauthorized', message: 'Unauthorized' },
      },
    ]);
  });

  it('with a time-out that is none is told of once', async () => {
    const { kept, ask } = await serve(only('Metadata'));
    await ask(`${PODS}/x?timeout=x`);
    expect(kept.events).toMatchObject([{ stage: 'ResponseStarted', responseStatus: { code: 400 } }]);
  });

  it('that the server fails at ends in a panic', async () => {
    const { kept, ask, api } = await serve(only('Metadata'));
    api.deps.reader.get = async () => {
      throw new TypeError('of its own');
    };
    expect((await ask(`${PODS}/x`)).status).toBe(500);
    expect(kept.stages).toEqual(['RequestReceived', 'Panic']);
    expect(kept.events.at(-1)?.responseStatus).toMatchObject({
      code: 500,
      message: "APIServer panic'd: of its own",
    });
  });

  it('that is no resource is told of too', async () => {
    const { kept, ask } = await serve(only('Metadata'), { fallback: (_req, res) => res.end('ok') });
    await ask('/version?access_token=secret');
    const requestURI = '/version?access_token=REDACTED';
    expect(kept.events.at(-1)).toMatchObject({ verb: 'get', requestURI, responseStatus: { code: 200 } });
    expect(kept.events.at(-1)?.objectRef).toBeUndefined();
  });
});

describe('a watch', () => {
  it('is told of when it comes, begins and ends, once each', async () => {
    const { kept, ask } = await serve(only('RequestResponse'));
    const answer = await ask(`${PODS}?watch=1&timeoutSeconds=1`);
    expect(answer.status).toBe(200);
    await expect.poll(() => kept.stages).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    expect(kept.events.map(({ responseStatus }) => responseStatus?.code)).toEqual([undefined, 200, 200]);
    expect(kept.events[2]?.responseObject).toBeUndefined();
  });

  it('that is refused is too', async () => {
    const { kept, ask } = await serve(only('Metadata'));
    await ask(`${PODS}?watch=1&resourceVersion=x`);
    expect(kept.stages).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });
});

describe('over HTTP/2', () => {
  it('requests and watches are told of as over HTTP/1.1', async () => {
    const { kept, api, auditor } = await serve(only('RequestResponse'));
    await api.create('configmaps', configMap('a'));
    const server = await openSecureServer(api, { auditor });
    const session = connect(`https://127.0.0.1:${server.port}`, { ca: server.pki.ca.cert });
    const get = async (path: string) => {
      const stream = session.request({ ':path': path, authorization: `Bearer ${TOKEN}` });
      for await (const _ of stream);
    };
    await get(`${PODS}/a`);
    expect(kept.stages).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(kept.events[1]).toMatchObject({ responseStatus: { code: 200 }, responseObject: { kind: 'ConfigMap' } });
    kept.records.length = 0;
    await get(`${PODS}?watch=1&timeoutSeconds=1`);
    await expect.poll(() => kept.stages).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    kept.records.length = 0;
    const gone = session.request({ ':path': `${PODS}?watch=1`, authorization: `Bearer ${TOKEN}` });
    await once(gone, 'response');
    gone.close();
    await expect.poll(() => kept.stages).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    session.destroy();
    await server.close();
  });
});

describe('a request that is passed on', () => {
  it('is recorded by who passes it on alone', async () => {
    const audited = { ...JANE, method: 'proxy', audited: true } as const;
    const { kept, ask } = await serve(only('Metadata'), { authenticator: { authenticate: async () => audited } });
    await ask(`${PODS}/x`);
    await ask(`${PODS}?watch=1&resourceVersion=x`);
    expect(kept.stages).toEqual([]);
  });
});

describe('where recording is waited for', () => {
  it('a request goes on once it is recorded, and its answer ends once that is', async () => {
    const { kept, ask, api } = await serve(only('Metadata'));
    await api.create('configmaps', configMap('a'));
    const order: string[] = [];
    kept.answers = async ({ event: { stage } }) => {
      order.push(`${stage} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${stage} is recorded`);
      return true;
    };
    const { status } = await ask(`${PODS}/a`);
    order.push('answered');
    expect(status).toBe(200);
    expect(order).toEqual([
      'RequestReceived begins',
      'RequestReceived is recorded',
      'ResponseComplete begins',
      'ResponseComplete is recorded',
      'answered',
    ]);
  });

  it('a request that is not recorded is refused, and changes nothing', async () => {
    const { kept, ask, api, counts } = await serve(only('Metadata'));
    kept.answers = async () => false;
    const { status, body } = await ask(PODS, { method: 'POST', body: JSON.stringify(configMap('a')) });
    expect([status, JSON.parse(body.toString()).message]).toEqual([
      500,
      'Internal error occurred: failed to store audit event',
    ]);
    expect(api.stored('configmaps', 'a')).toBeUndefined();
    expect(kept.stages).toEqual(['RequestReceived']);
    expect(counts.rejected).toBe(1);
  });
});
