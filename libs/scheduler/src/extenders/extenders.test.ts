import { NodeInfo, type PodInfo, podInfoOf, type Rejection } from '@orch/scheduler-plugins';
import type { Container } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExtenderConfiguration } from '../configuration/configuration.js';
import { Extenders } from './extenders.js';

const NONE: ExtenderConfiguration = {
  ...{ urlPrefix: 'http://a/', filterVerb: '', preemptVerb: '', prioritizeVerb: '', bindVerb: '', weight: 1 },
  ...{ enableHTTPS: false, tlsConfig: undefined, timeoutMs: 5_000, nodeCacheCapable: false, managedResources: [] },
  ignorable: false,
};

interface Request {
  readonly url: string;
  readonly body: Record<string, unknown>;
  readonly timeoutMs: number;
}

let requests: Request[];
let errors: string[];
let nodes: NodeInfo[];
/** Answers by URL: a body, a status that is not 200, or an error. */
let answers: Record<string, unknown>;

beforeEach(() => {
  [requests, errors, answers] = [[], [], {}];
  nodes = ['n1', 'n2', 'n3'].map((name) => {
    const node = new NodeInfo(name);
    node.setNode({ metadata: { name } });
    return node;
  });
});

function extenders(...configurations: Partial<ExtenderConfiguration>[]): Extenders {
  return new Extenders({
    configurations: configurations.map((each) => ({ ...NONE, ...each })),
    callOf: () => ({
      async post(url, body, timeoutMs) {
        requests.push({ url, body: JSON.parse(JSON.stringify(body)), timeoutMs });
        const answer = answers[url];
        if (answer instanceof Error) throw answer;
        return typeof answer === 'number' ? { status: answer, body: undefined } : { status: 200, body: answer };
      },
    }),
    onError: (extender, error) => void errors.push(`${extender}: ${(error as Error).message}`),
  });
}

const pod = (name = 'p', ...containers: Container[]): PodInfo =>
  podInfoOf({ metadata: { name, namespace: 'ns', uid: `uid-${name}` }, spec: { containers } });
const namesOf = (found: readonly NodeInfo[]) => found.map(({ name }) => name);

describe('filters of extenders', () => {
  const filter = async (...configurations: Partial<ExtenderConfiguration>[]) => {
    const rejections = new Map<NodeInfo, Rejection>();
    const found = await extenders(...configurations).filter(pod(), nodes, rejections);
    return { found: namesOf(found), rejections: [...rejections].map(([node, each]) => ({ node: node.name, ...each })) };
  };

  it('are sent nodes, and name those that remain, with reasons for others', async () => {
    answers['http://a/filter'] = {
      Nodes: { items: [{ metadata: { name: 'n1' } }] },
      FailedNodes: { n2: 'too small', n3: 'hidden by the other' },
      FailedAndUnresolvableNodes: { n3: 'wrong' },
    };
    const { found, rejections } = await filter({ filterVerb: 'filter' });
    expect(found).toEqual(['n1']);
    expect(rejections).toEqual([
      { node: 'n2', plugin: 'Extender', reasons: ['too small'], isResolvable: true },
      { node: 'n3', plugin: 'Extender', reasons: ['wrong'], isResolvable: false },
    ]);
    expect(requests[0]).toMatchObject({
      url: 'http://a/filter',
      timeoutMs: 5_000,
      body: { Pod: { metadata: { name: 'p' } }, NodeNames: null },
    });
    expect(requests[0]?.body.Nodes).toMatchObject({ items: [{}, {}, {}] });
  });

  it('are sent names alone where the extender knows the nodes, and may answer in lower case', async () => {
    answers['http://a/filter'] = { nodeNames: ['n2', 'n3'], failedNodes: { n1: 'no' } };
    const { found } = await filter({ filterVerb: 'filter', nodeCacheCapable: true });
    expect(found).toEqual(['n2', 'n3']);
    expect(requests[0]?.body).toMatchObject({ Nodes: null, NodeNames: ['n1', 'n2', 'n3'] });
  });

  it('come one after the other, those that can be ignored last, until no node is left', async () => {
    answers['http://a/f'] = { NodeNames: ['n1'] };
    answers['http://b/f'] = { NodeNames: [] };
    const known = { filterVerb: 'f', nodeCacheCapable: true };
    const { found } = await filter(
      { ...known, urlPrefix: 'http://c', ignorable: true },
      { ...known },
      { ...known, urlPrefix: 'http://b' },
    );
    expect([found, requests.map(({ url }) => url)]).toEqual([[], ['http://a/f', 'http://b/f']]);
  });

  it.each([
    [500, 'failed f with extender at URL http://a/f, code 500'],
    [{ Error: 'it is down' }, 'it is down'],
    [new Error('no answer'), 'no answer'],
    [
      { NodeNames: ['other'] },
      'extender "http://a/" claims a filtered node "other" which is not found in the input node list',
    ],
  ])('fail, unless they can be ignored: %j', async (answer, message) => {
    answers['http://a/f'] = answer;
    const known = { filterVerb: 'f', nodeCacheCapable: true };
    await expect(filter(known)).rejects.toThrow(message);
    expect((await filter({ ...known, ignorable: true })).found).toEqual(['n1', 'n2', 'n3']);
    expect(errors).toEqual([`http://a/: ${message}`]);
  });

  it('are called for pods with their resources alone', async () => {
    const managedResources = [{ name: 'example.com/gpu', ignoredByScheduler: true }];
    answers['http://a/f'] = { NodeNames: [] };
    const managing = extenders({ filterVerb: 'f', nodeCacheCapable: true, managedResources });
    const containers: Container[] = [{ name: 'c', resources: { limits: { 'example.com/gpu': '1' } } }];
    expect(await managing.filter(pod(), nodes, new Map())).toBe(nodes);
    expect(await managing.filter(pod('q', ...containers), nodes, new Map())).toEqual([]);
  });
});

it('scores of extenders are scaled and weighed; one that fails gives none', async () => {
  answers['http://a/p'] = [
    { Host: 'n1', Score: 10 },
    { host: 'n3', score: 1 },
  ];
  answers['http://b/p'] = 503;
  const scoring = extenders(
    { prioritizeVerb: 'p', weight: 2 },
    { urlPrefix: 'http://b', prioritizeVerb: 'p' },
    { urlPrefix: 'http://c', filterVerb: 'f', weight: 5 },
  );
  expect(await scoring.scores(pod(), nodes)).toEqual([200, 0, 20]);
  expect(errors).toEqual(['http://b: failed p with extender at URL http://b/p, code 503']);
  expect(await extenders({ filterVerb: 'f' }).scores(pod(), nodes)).toBeUndefined();
});

it('an extender may bind pods', async () => {
  answers['http://a/b'] = {};
  expect(await extenders({ bindVerb: 'b' }).bind(pod(), 'n1')).toBe(true);
  expect(requests[0]?.body).toEqual({ PodName: 'p', PodNamespace: 'ns', PodUID: 'uid-p', Node: 'n1' });
  expect(await extenders({}).bind(pod(), 'n1')).toBe(false);
  answers['http://a/b'] = { Error: 'refused' };
  await expect(extenders({ bindVerb: 'b', ignorable: true }).bind(pod(), 'n1')).rejects.toThrow('refused');
});

describe('extenders in preemption', () => {
  const nodeOf = (name: string) => nodes.find((node) => node.name === name);
  const candidates = () => {
    const [first, second] = [pod('v1'), pod('v2')];
    nodes[0]?.addPod(first);
    nodes[0]?.addPod(second);
    nodes[1]?.addPod(pod('v3'));
    return [
      { node: 'n1', victims: [first, second], violations: 1 },
      { node: 'n2', victims: [pod('v3')], violations: 0 },
    ];
  };

  it('may leave victims out, and nodes', async () => {
    answers['http://a/p'] = { NodeNameToMetaVictims: { n1: { Pods: [{ UID: 'uid-v2' }], NumPDBViolations: 1 } } };
    const left = await extenders({ preemptVerb: 'p' }).preempt(pod(), candidates(), nodeOf);
    expect(left).toMatchObject([{ node: 'n1', victims: [{ name: 'v2' }], violations: 1 }]);
    expect(requests[0]?.body).toMatchObject({
      NodeNameToVictims: { n2: { Pods: [{ metadata: { name: 'v3' } }], NumPDBViolations: 0 } },
      NodeNameToMetaVictims: null,
    });
  });

  it('are sent uids alone where they know the nodes', async () => {
    answers['http://a/p'] = {};
    expect(await extenders({ preemptVerb: 'p', nodeCacheCapable: true }).preempt(pod(), candidates(), nodeOf)).toEqual(
      [],
    );
    expect(requests[0]?.body).toMatchObject({ NodeNameToMetaVictims: { n2: { Pods: [{ UID: 'uid-v3' }] } } });
  });

  it.each([
    [
      { n1: { Pods: [{ UID: 'uid-v3' }] } },
      /claims to preempt pod \(UID: uid-v3\) on node: n1, but the pod is not found/,
    ],
    [{ n9: { Pods: [] } }, 'nodeinfo not found for node name "n9"'],
    [{ n1: { Pods: [] } }, 'expected at least one victim pod on node "n1"'],
  ])('must name pods that are there: %j', async (victims, message) => {
    answers['http://a/p'] = { NodeNameToMetaVictims: victims };
    await expect(extenders({ preemptVerb: 'p' }).preempt(pod(), candidates(), nodeOf)).rejects.toThrow(message);
  });

  it('that can be ignored may name nodes without victims, or fail', async () => {
    answers['http://a/p'] = { NodeNameToMetaVictims: { n1: { Pods: [] }, n2: { Pods: [{ UID: 'uid-v3' }] } } };
    const ignorable = extenders({ preemptVerb: 'p', ignorable: true });
    const all = candidates();
    expect((await ignorable.preempt(pod(), all, nodeOf)).map(({ node }) => node)).toEqual(['n2']);
    answers['http://a/p'] = 500;
    expect(await ignorable.preempt(pod(), all, nodeOf)).toBe(all);
  });
});
