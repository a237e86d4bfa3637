import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { selfSigned } from '@orch/tls/testing';
import {
  type AdmissionAnswer,
  type AdmissionCall,
  type AdmissionReview,
  AdmissionServer,
  patching,
} from '@orch/webhooks/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer, ApiObject } from '../support/api.js';
import { makePodOn, startNodeAgent } from '../support/node-agent.js';
import { sizedWidgets } from '../support/sized-widgets.js';
import { openUpgraded, SPDY } from '../support/upgraded.js';
import {
  configMap,
  configMaps,
  conformance,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
} from './conformance.js';

const POLL = { timeout: 30_000, interval: 20 };

/** A rule that means ConfigMaps. */
const CONFIG_MAPS = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };

type Kind = 'Mutating' | 'Validating';

conformance('Admission webhooks', ({ api, names, namespace }) => {
  let server: AdmissionServer;
  const made: string[] = [];
  beforeAll(async () => {
    server = await AdmissionServer.start();
  });
  afterEach(async () => {
    for (const path of made.splice(0)) expectStatus(await api.delete(path), 200);
  });
  afterAll(() => server?.close());

  const group = names.group('admissionregistration.orch.io');
  const collection = (kind: Kind) => `/apis/${group}/v1/${kind.toLowerCase()}webhookconfigurations`;
  const NAME_LABEL = names.key('orch.io/metadata.name');

  /**
   * Webhooks of one configuration, asked about one namespace only, each at a path of its own; answers once they are in force.
   * @returns their paths, in the order given
   */
  async function install(
    kind: Kind,
    within: string,
    ...hooks: readonly ({ answer?: AdmissionAnswer; name?: string } & Record<string, unknown>)[]
  ): Promise<string[]> {
    const configuration = `c-${randomBytes(5).toString('hex')}`;
    const paths = hooks.map((_hook, at) => `/${configuration}/${at}`);
    const webhooks = hooks.map(({ answer: _answer, ...hook }, at) => ({
      name: `hook-${at}.example.com`,
      clientConfig: server.clientConfig(paths[at] as string),
      rules: [CONFIG_MAPS],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      namespaceSelector: { matchLabels: { [NAME_LABEL]: within } },
      ...hook,
    }));
    const probe = `/${configuration}/probe`;
    webhooks.unshift({
      ...{ name: 'probe.example.com', clientConfig: server.clientConfig(probe), rules: [CONFIG_MAPS] },
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
      namespaceSelector: { matchLabels: { [NAME_LABEL]: within } },
      objectSelector: { matchLabels: { probe: 'true' } },
      matchPolicy: 'Equivalent',
    } as never);
    const object = {
      apiVersion: `${group}/v1`,
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: configuration },
      webhooks,
    };
    expectStatus(await api.post(collection(kind), object), 201);
    made.push(`${collection(kind)}/${configuration}`);
    const seen = async () => {
      await api.post(`${configMaps(within)}?dryRun=All`, configMap('probe', { labels: { probe: 'true' } }));
      return server.calls(probe).length > 0;
    };
    await expect.poll(seen, POLL).toBe(true);
    for (const [at, { answer }] of hooks.entries()) {
      const path = paths[at] as string;
      server.calls(path).length = 0;
      if (answer) server.answer(path, answer);
    }
    return paths;
  }

  const callsOf = (path: string | undefined) => server.calls(path ?? '');
  const post = (within: string, name: string, more = {}): Promise<Answer> =>
    api.post(configMaps(within), configMap(name, more));

  test('are told all of a request', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, { timeoutSeconds: 7 });
    expectStatus(await api.post(`${configMaps(within)}?fieldManager=me`, configMap('a')), 201);
    const [call] = callsOf(path);
    expect(call?.target).toBe(`${path}?timeout=7s`);
    expect(call?.headers['content-type']).toBe('application/json');
    const { kind, apiVersion, request } = (call as AdmissionCall).review;
    expect({ kind, apiVersion }).toEqual({
      kind: 'AdmissionReview',
      apiVersion: `${names.group('admission.orch.io')}/v1`,
    });
    const about = { group: '', version: 'v1' };
    expect(request).toMatchObject({
      kind: { ...about, kind: 'ConfigMap' },
      resource: { ...about, resource: 'configmaps' },
      requestKind: { ...about, kind: 'ConfigMap' },
      requestResource: { ...about, resource: 'configmaps' },
      name: 'a',
      namespace: within,
      operation: 'CREATE',
      userInfo: { groups: expect.arrayContaining(['system:authenticated']) },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: within }, data: { a: '1' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: `${names.metaGroup}/v1`, fieldManager: 'me' },
    });
    expect(request.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(request).not.toHaveProperty('subResource');
  });

  test('see the object as it was and as it is to be', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, {});
    expectStatus(await post(within, 'a'), 201);
    expectStatus(await api.patch(`${configMaps(within)}/a`, 'merge', { data: { a: '2' } }), 200);
    expectStatus(await api.delete(`${configMaps(within)}/a`), 200);
    const told = callsOf(path).map(({ review: { request } }) => [
      request.operation,
      request.oldObject?.data ?? null,
      request.object?.data ?? null,
      request.options?.kind,
    ]);
    expect(told).toEqual([
      ['CREATE', null, { a: '1' }, 'CreateOptions'],
      ['UPDATE', { a: '1' }, { a: '2' }, 'UpdateOptions'],
      ['DELETE', { a: '2' }, null, 'DeleteOptions'],
    ]);
  });

  test.each([
    [{ status: { code: 403, message: 'no', reason: 'Forbidden' } }, 403, 'Forbidden', ': no'],
    [{ status: { message: 'no' } }, 400, undefined, ': no'],
    [{ status: { code: 200, reason: 'Because' } }, 400, 'Because', ': Because'],
    [{ status: { code: 418, message: 'tea' } }, 418, undefined, ': tea'],
    [{}, 400, undefined, ' without explanation'],
  ])('refuse: %j', async (said, code, reason, why) => {
    const within = await namespace();
    for (const kind of ['Validating', 'Mutating'] as const) {
      await install(kind, within, { answer: () => ({ allowed: false, ...said }) });
      const answer = await post(within, 'a');
      expectStatus(answer, code);
      const status = answer.json<{ message: string; reason?: string }>();
      expect(status.message).toBe(`admission webhook "hook-0.example.com" denied the request${why}`);
      expect(status.reason).toBe(reason);
      expectStatus(await api.delete(made.pop() as string), 200);
      // As soon as that is known.
      await expect.poll(async () => (await post(within, kind.toLowerCase())).status, POLL).toBe(201);
    }
  });

  test('change objects one after another, each seeing what the one before has left', async () => {
    const within = await namespace();
    const append =
      (text: string): AdmissionAnswer =>
      ({ request }) =>
        patching([{ op: 'add', path: '/data/order', value: `${request.object.data.order ?? ''}${text}` }]);
    await install('Mutating', within, { answer: append('a') }, { answer: append('b') }, { answer: append('c') });
    const { data } = expectStatus(await post(within, 'a'), 201).json<ApiObject>();
    expect(data).toEqual({ a: '1', order: 'abc' });
  });

  test('see what they have made with defaults', async () => {
    const within = await namespace();
    const rules = [{ ...CONFIG_MAPS, apiGroups: ['apps'], resources: ['deployments'] }];
    const container = { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'side', image: 'side' } };
    const [, second] = await install('Mutating', within, { rules, answer: () => patching([container]) }, { rules });
    expectStatus(await api.post(deployments(within), deployment('a')), 201);
    const [call] = callsOf(second);
    expect(call?.review.request.object.spec.template.spec.containers[1]).toMatchObject({
      name: 'side',
      imagePullPolicy: 'Always',
      terminationMessagePath: '/dev/termination-log',
    });
  });

  test('are asked again where something changed behind them, once, if they want to be', async () => {
    const within = await namespace();
    const count: AdmissionAnswer = ({ request }) => {
      const { times = '0' } = request.object.data;
      return patching([{ op: 'add', path: '/data/times', value: String(Number(times) + 1) }]);
    };
    const [again, once, last] = await install(
      'Mutating',
      within,
      { answer: count, reinvocationPolicy: 'IfNeeded' },
      { reinvocationPolicy: 'Never' },
      { answer: count, reinvocationPolicy: 'IfNeeded' },
    );
    const { data } = expectStatus(await post(within, 'a'), 201).json<ApiObject>();
    expect([again, once, last].map((path) => callsOf(path).length)).toEqual([2, 1, 2]);
    // The last one, too: the first has changed something again, in front of it.
    expect(data?.times).toBe('4');
  });

  test('are not asked in the second round if they were not in the first', async () => {
    const within = await namespace();
    const [late] = await install(
      'Mutating',
      within,
      { reinvocationPolicy: 'IfNeeded', objectSelector: { matchLabels: { late: 'true' } } },
      { answer: () => patching([{ op: 'add', path: '/metadata/labels', value: { late: 'true' } }]) },
    );
    const { metadata } = expectStatus(await post(within, 'a'), 201).json<ApiObject>();
    expect(metadata.labels).toEqual({ late: 'true' });
    expect(callsOf(late)).toHaveLength(0);
  });

  /** A rule that means connections to pods. */
  const CONNECTIONS = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods/exec'], operations: ['CONNECT'] };

  async function podIn(within: string): Promise<string> {
    const pods = `/api/v1/namespaces/${within}/pods`;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    expectStatus(await api.post(pods, pod), 201);
    return `${pods}/p`;
  }

  test('see the options of a connection, before anything is looked up, and may refuse it', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, {
      rules: [CONNECTIONS],
      answer: () => ({ allowed: false, status: { code: 403, message: 'not in here', reason: 'Forbidden' } }),
    });
    const answer = await api.request('POST', `/api/v1/namespaces/${within}/pods/none/exec?command=ls&stdin=1`);
    expect(expectRefusal(answer, 403, 'Forbidden').message).toContain('not in here');
    const [call] = callsOf(path);
    expect((call as AdmissionCall).review.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'exec',
      name: 'none',
      namespace: within,
      operation: 'CONNECT',
      object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, command: ['ls'] },
      oldObject: null,
      dryRun: false,
      options: null,
    });
  });

  test('may change the options of a connection', async () => {
    const within = await namespace();
    const pod = await podIn(within);
    await install('Mutating', within, {
      rules: [CONNECTIONS],
      answer: () => patching([{ op: 'add', path: '/container', value: 'other' }]),
    });
    const answer = await api.request('POST', `${pod}/exec?command=ls`);
    expect(expectRefusal(answer, 400, 'BadRequest').message).toBe('container other is not valid for pod p');
  });

  test('no agent is asked for a client that has left while they were', async () => {
    const within = await namespace();
    const agent = await startNodeAgent();
    agent.answer = (_req, res) => res.end();
    const node = `n-${within}`;
    await agent.join(api, node);
    const pod = await makePodOn(api, within, 'p', node);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = async () => {
      await released;
      return { allowed: true };
    };
    const [path] = await install('Validating', within, { rules: [CONNECTIONS], answer });
    const leaving = new Promise<TLSSocket>((resolve) => {
      void openUpgraded(api.settings, 'POST', `${pod}/exec?command=left`, SPDY, resolve);
    });
    await expect.poll(() => callsOf(path).length, POLL).toBe(1);
    const socket = await leaving;
    socket.destroy();
    await once(socket, 'close');
    release();
    await openUpgraded(api.settings, 'POST', `${pod}/exec?command=stays`);
    expect(agent.asked).toEqual([`POST /exec/${within}/p/c?command=stays`]);
    await api.delete(`/api/v1/nodes/${node}`);
    await agent.stop();
  });

  test('may not change what is deleted', async () => {
    const within = await namespace();
    expectStatus(await post(within, 'a'), 201);
    await install('Mutating', within, { answer: () => patching([{ op: 'add', path: '/data', value: {} }]) });
    const { message } = expectRefusal(await api.delete(`${configMaps(within)}/a`), 500, 'InternalError');
    expect(message).toBe(
      'Internal error occurred: admission webhook "hook-0.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });

  test.each<[string, AdmissionAnswer, RegExp]>([
    [
      'status 500',
      (_r, res) => void res.writeHead(500).end('oh'),
      /failed to call webhook: an error on the server \("oh"\) has prevented the request from succeeding$/,
    ],
    [
      'status 404',
      (_r, res) => void res.writeHead(404).end(),
      /failed to call webhook: the server could not find the requested resource$/,
    ],
    [
      'a redirect',
      (_r, res) => void res.writeHead(302, { location: '/elsewhere' }).end(),
      /failed to call webhook: the server responded with the status code 302/,
    ],
    ['garbage', (_r, res) => void res.end('<html>'), /failed to call webhook: /],
    ['nothing', (_r, res) => void res.end('{}'), /received invalid webhook response: webhook response was absent$/],
    [
      'another uid',
      () => ({ uid: 'x' }),
      /received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "x"$/,
    ],
    [
      'a patch without its type',
      () => ({ patch: 'W10=' }),
      /received invalid webhook response: (webhook returned response\.patch but not response\.patchType|validating webhook may not return response\.patch)$/,
    ],
    [
      'a broken connection',
      (_r, res) => void res.destroy(),
      /failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/[^"]*\?timeout=10s": /,
    ],
  ])('that answer %s have failed, by either policy', async (_what, answer, why) => {
    const within = await namespace();
    for (const kind of ['Validating', 'Mutating'] as const) {
      const [, strict] = await install(
        kind,
        within,
        { failurePolicy: 'Ignore', answer },
        { failurePolicy: 'Fail', answer, objectSelector: { matchLabels: { strict: 'true' } } },
      );
      expectStatus(await post(within, kind.toLowerCase()), 201);
      const refused = await post(within, 'strict', { labels: { strict: 'true' } });
      const { message } = expectRefusal(refused, 500, 'InternalError');
      expect(message).toMatch(/^Internal error occurred: failed calling webhook "hook-1\.example\.com": /);
      expect(message).toMatch(why);
      expect(callsOf(strict)).toHaveLength(1);
    }
  });

  test('that do not answer are given up after their time', async () => {
    const within = await namespace();
    await install('Validating', within, { failurePolicy: 'Fail', timeoutSeconds: 1, answer: () => undefined });
    const { message } = expectRefusal(await post(within, 'a'), 500, 'InternalError');
    expect(message).toMatch(/\?timeout=1s": context deadline exceeded$/);
  });

  test('whose certificate nobody vouches for are not asked', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, {
      clientConfig: { url: `https://127.0.0.1:${server.port}/untrusted` },
    });
    expectRefusal(await post(within, 'a'), 500, 'InternalError');
    expect(callsOf(path)).toHaveLength(0);
    expect(callsOf('/untrusted')).toHaveLength(0);
  });

  test('are called at the path of their URL as it is cleaned, and followed on the same server', async () => {
    const within = await namespace();
    const { url, caBundle } = server.clientConfig('//to//follow/');
    server.answer('/to/follow', (_review, res) => void res.writeHead(307, { location: '/to/ask' }).end());
    await install('Validating', within, { clientConfig: { url, caBundle } });
    expectStatus(await post(within, 'a'), 201);
    const asked = (path: string) => callsOf(path).filter(({ review }) => review.request.name === 'a');
    expect(asked('/to/follow')).toHaveLength(1);
    expect(asked('/to/ask').map(({ target }) => target)).toEqual(['/to/ask']);
    for (const path of ['/to/follow', '/to/ask']) server.calls(path).length = 0;
  });

  test('whose certificate is trusted itself are asked', async () => {
    const within = await namespace();
    const own = await selfSigned();
    const single = await AdmissionServer.start(own);
    const { url } = single.clientConfig('/own');
    const caBundle = Buffer.from(own.cert).toString('base64');
    try {
      await install('Validating', within, { clientConfig: { url, caBundle } });
      expectStatus(await post(within, 'a'), 201);
      expect(single.calls('/own').map(({ review }) => review.request.name)).toContain('a');
    } finally {
      await single.close();
    }
  });

  test('that break off are asked each time, and their states told', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, { answer: (_r, res) => void res.destroy() });
    for (let i = 0; i < 12; i++) expectRefusal(await post(within, 'a'), 500, 'InternalError');
    expect(callsOf(path)).toHaveLength(12);
    const configuration = path?.split('/')[1];
    const page = expectStatus(await api.get('/debug/api/webhooks'), 200).json<{ webhooks: object[] }>();
    expect(page.webhooks).toContainEqual(
      expect.objectContaining({ webhook: 'hook-0.example.com', configuration, hanging: 0, isFull: false }),
    );
    expect((await api.get('/metrics')).text).toContain(
      `orch_admission_webhook_hanging_calls{configuration="${configuration}",name="hook-0.example.com",type="validating"} 0`,
    );
    server.answer(path ?? '', () => ({}));
    expectStatus(await post(within, 'a'), 201);
  });

  test.each(['Fail', 'Ignore'])(
    'that one user keeps busy are asked about the writes of others (%s)',
    async (policy) => {
      const within = await namespace();
      const held: ServerResponse[] = [];
      const [path] = await install('Validating', within, {
        ...{ failurePolicy: policy, timeoutSeconds: 2 },
        answer: ({ request }: AdmissionReview, res: ServerResponse) => {
          if (request.name.startsWith('slow')) return void held.push(res);
          return { allowed: !request.name.startsWith('denied'), status: { code: 403 } };
        },
      });
      const slow = Array.from({ length: 60 }, (_, at) => post(within, `slow-${at}`));
      await expect.poll(() => held.length, POLL).toBe(60);
      // Others are asked about before the slow ones hang, while they do, and after they were given up.
      const over = Promise.all(slow);
      let isOver = false;
      void over.then(() => {
        isOver = true;
      });
      for (let i = 0; !isOver; i++) {
        expectStatus(await post(within, `fine-${i}`), 201);
        expectStatus(await post(within, `denied-${i}`), 403);
      }
      expect(new Set((await over).map(({ status }) => status))).toEqual(new Set([policy === 'Fail' ? 500 : 201]));
      expect(callsOf(path).length).toBeGreaterThan(60);
      expectStatus(await post(within, 'denied'), 403);
    },
  );

  test('warn and annotate, whatever they decide', async () => {
    const within = await namespace();
    for (const kind of ['Mutating', 'Validating'] as const) {
      await install(kind, within, { answer: () => ({ warnings: [`${kind} warns`], auditAnnotations: { k: 'v' } }) });
    }
    const allowed = expectStatus(await post(within, 'a'), 201);
    expect(allowed.warnings).toEqual(['Mutating warns', 'Validating warns']);
    await install('Validating', within, { answer: () => ({ allowed: false, warnings: ['warned'] }) });
    expect((await post(within, 'b')).warnings).toContain('warned');
  });

  test('are asked about dry runs only if they leave nothing behind', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, { sideEffects: 'NoneOnDryRun' });
    expectStatus(await api.post(`${configMaps(within)}?dryRun=All`, configMap('a')), 201);
    expect(callsOf(path)[0]?.review.request).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
  });

  test('of version v1beta1 are asked in that, and need less', async () => {
    const within = await namespace();
    const [path] = await install('Mutating', within, {
      admissionReviewVersions: ['v9', 'v1beta1', 'v1'],
      answer: () => ({ uid: 'x', patch: patching([{ op: 'add', path: '/data/b', value: '2' }]).patch }),
    });
    expect(expectStatus(await post(within, 'a'), 201).json<ApiObject>().data).toEqual({ a: '1', b: '2' });
    expect(callsOf(path)[0]?.review.apiVersion).toBe(`${names.group('admission.orch.io')}/v1beta1`);
  });

  test('are asked in the version that they know, if they want equivalents', async () => {
    const within = await namespace();
    const hpa = (version: string) => [
      {
        apiGroups: ['autoscaling'],
        apiVersions: [version],
        resources: ['horizontalpodautoscalers'],
        operations: ['*'],
      },
    ];
    const [equivalent, exact] = await install(
      'Mutating',
      within,
      {
        rules: hpa('v1'),
        matchPolicy: 'Equivalent',
        answer: () => patching([{ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 33 }]),
      },
      { rules: hpa('v1'), matchPolicy: 'Exact' },
    );
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    };
    const object = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
    const at = `/apis/autoscaling/v2/namespaces/${within}/horizontalpodautoscalers`;
    const stored = expectStatus(await api.post(at, object), 201).json<ApiObject>();
    expect(stored.apiVersion).toBe('autoscaling/v2');
    expect(stored.spec.metrics[0].resource.target.averageUtilization).toBe(33);
    expect(callsOf(exact)).toHaveLength(0);
    const { request } = callsOf(equivalent)[0]?.review ?? { request: {} };
    expect(request).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      requestKind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
      requestResource: { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' },
      object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } },
    });
  });

  test('see custom objects in the version that they know, and change them', async () => {
    const within = await namespace();
    const own = `g${randomBytes(5).toString('hex')}.example.com`;
    const apiVersion = `${names.group('apiextensions.orch.io')}/v1`;
    const definitions = `/apis/${apiVersion}/customresourcedefinitions`;
    expectStatus(await api.post(definitions, sizedWidgets({ group: own, apiVersion }, { strategy: 'None' })), 201);
    const at = `/apis/${own}/v2/namespaces/${within}/widgets`;
    await expect.poll(async () => (await api.get(at)).status, POLL).toBe(200);
    const rules = [{ apiGroups: [own], apiVersions: ['v1'], resources: ['widgets'], operations: ['*'] }];
    const [path] = await install('Mutating', within, {
      rules,
      matchPolicy: 'Equivalent',
      answer: () => patching([{ op: 'add', path: '/metadata/labels', value: { seen: 'v1' } }]),
    });
    const object = { apiVersion: `${own}/v2`, kind: 'Widget', metadata: { name: 'a' }, spec: {} };
    const stored = expectStatus(await api.post(at, object), 201).json<ApiObject>();
    expect(stored).toMatchObject({ apiVersion: `${own}/v2`, metadata: { labels: { seen: 'v1' } } });
    expect(callsOf(path)[0]?.review.request.object.apiVersion).toBe(`${own}/v1`);
    expectStatus(await api.delete(`${definitions}/widgets.${own}`), 200);
  });

  test('see a scale as what it is', async () => {
    const within = await namespace();
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'], operations: ['*'] }];
    const [path] = await install('Mutating', within, {
      rules,
      answer: () => patching([{ op: 'replace', path: '/spec/replicas', value: 7 }]),
    });
    expectStatus(await api.post(deployments(within), deployment('a')), 201);
    const scaled = await api.patch(`${deployments(within)}/a/scale`, 'merge', { spec: { replicas: 3 } });
    expect(expectStatus(scaled, 200).json<ApiObject>().spec.replicas).toBe(7);
    const { request } = callsOf(path)[0]?.review ?? { request: {} };
    expect(request).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      subResource: 'scale',
      requestSubResource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 3 } },
      oldObject: { kind: 'Scale', spec: { replicas: 1 } },
    });
  });

  test('own nothing of what they set, so that applying the same again changes nothing', async () => {
    const within = await namespace();
    await install('Mutating', within, { answer: () => patching([{ op: 'add', path: '/data/set', value: 'x' }]) });
    const path = `${configMaps(within)}/a`;
    const created = expectStatus(await api.apply(path, 'me', configMap('a')), 201).json<ApiObject>();
    expect(created.data).toEqual({ a: '1', set: 'x' });
    expect(created.metadata.managedFields).toMatchObject([{ manager: 'me', fieldsV1: { 'f:data': { 'f:a': {} } } }]);
    const again = expectStatus(await api.apply(path, 'me', configMap('a')), 200).json<ApiObject>();
    expect(again).toEqual(created);
    const removed = expectStatus(await api.apply(path, 'me', configMap('a', { data: {} })), 200).json<ApiObject>();
    expect(removed.data).toEqual({ set: 'x' });
  });

  test('are chosen by the labels of objects, old or new', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, { objectSelector: { matchLabels: { asked: 'yes' } } });
    expectStatus(await post(within, 'a', { labels: { asked: 'yes' } }), 201);
    expectStatus(await api.patch(`${configMaps(within)}/a`, 'merge', { metadata: { labels: { asked: null } } }), 200);
    expectStatus(await api.patch(`${configMaps(within)}/a`, 'merge', { data: { b: '2' } }), 200);
    expectStatus(await post(within, 'b'), 201);
    expect(callsOf(path).map(({ review: { request } }) => request.operation)).toEqual(['CREATE', 'UPDATE']);
  });

  test('are never asked about who is asked', async () => {
    const everything = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }];
    const within = await namespace();
    const [path] = await install('Validating', within, {
      rules: everything.map((rule) => ({ ...rule, apiGroups: [group] })),
      namespaceSelector: {},
      answer: () => ({ allowed: false }),
    });
    await install('Mutating', within, {});
    expect(callsOf(path)).toHaveLength(0);
  });

  test('leave an administrator a way past them', async () => {
    const within = await namespace();
    const [path] = await install('Validating', within, { answer: () => ({ allowed: false }) });
    expectStatus(await post(within, 'a'), 400);
    const passed = await api.post(`${configMaps(within)}?skipAdmissionWebhooks=true`, configMap('a'));
    expectStatus(passed, 201);
    expect(passed.warnings).toEqual(['admission webhooks were not asked about this request']);
    expect(callsOf(path)).toHaveLength(1);
    const other = await api.request('POST', `${configMaps(within)}?skipAdmissionWebhooks=true`, {
      body: configMap('b'),
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'system:authenticated' },
    });
    expectRefusal(other, 403, 'Forbidden');
  });
});
