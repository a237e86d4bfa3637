import { randomBytes } from 'node:crypto';
import { type Names, namesOf } from '@orch/machinery';
import { afterAll, describe, expect, inject } from 'vitest';
import { type Answer, Api, type ApiList, type ApiObject, type StatusObject } from '../support/api.js';
import './provided-context.js';

/** The environment of a group of conformance tests in one naming profile. */
export interface Suite {
  readonly api: Api;
  readonly names: Names;
  /** Makes a namespace for a test and returns its name. */
  namespace(): Promise<string>;
}

const PROFILES = ['kubernetes', 'orch'] as const;

/**
 * Declares a group of tests that runs in both naming profiles, or in the one that `CONFORMANCE_PROFILE` names: a second runtime is tried
 * with one, as names differ in a table alone. `claim` is the part of the contract that it is about.
 */
export function conformance(claim: string, tests: (suite: Suite) => void): void {
  declare(claim, tests, PROFILES);
}

/**
 * Declares a group of tests that knows no names. It runs with those of Kubernetes, and where `TEST_ALL` is set (`make test-all`) in both
 * naming profiles.
 */
export function conformanceWithoutNames(claim: string, tests: (suite: Omit<Suite, 'names'>) => void): void {
  const { TEST_ALL: all, CONFORMANCE_PROFILE: only } = process.env;
  declare(claim, tests, all || only !== undefined ? PROFILES : ['kubernetes']);
}

function declare(claim: string, tests: (suite: Suite) => void, declared: readonly (typeof PROFILES)[number][]): void {
  const servers = inject('servers');
  const { CONFORMANCE_PROFILE: only } = process.env;
  if (only !== undefined && !PROFILES.some((profile) => profile === only))
    throw new Error(`CONFORMANCE_PROFILE=${only} is neither of ${PROFILES.join(', ')}`);
  for (const profile of declared.filter((each) => only === undefined || only === each)) {
    describe(`${claim} (${profile})`, () => {
      const api = new Api(servers[profile]);
      afterAll(() => api.close());
      tests({ api, names: namesOf(profile), namespace: () => makeNamespace(api) });
    });
  }
}

async function makeNamespace(api: Api): Promise<string> {
  const metadata = { name: `t-${randomBytes(6).toString('hex')}` };
  expectStatus(await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata }), 201);
  return metadata.name;
}

export const configMaps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

export function configMap(name: string, more: { labels?: object; data?: object; finalizers?: string[] } = {}) {
  const { data = { a: '1' }, ...metadata } = more;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** Creates ConfigMaps one after another and returns them as stored. */
export async function createAll(api: Api, namespace: string, names: readonly string[]): Promise<ApiObject[]> {
  const created: ApiObject[] = [];
  for (const name of names) {
    created.push(expectStatus(await api.post(configMaps(namespace), configMap(name)), 201).json());
  }
  return created;
}

/** The answer, if it has the status; else the test fails and shows the body. */
export function expectStatus(answer: Answer, status: number): Answer {
  expect(answer.status, answer.text.slice(0, 2000)).toBe(status);
  return answer;
}

export async function list(api: Api, path: string): Promise<ApiList> {
  return expectStatus(await api.get(path), 200).json<ApiList>();
}

/** Checks that an answer is a refusal in the form that clients rely on, and returns it. */
export function expectRefusal(answer: Answer, code: number, reason: string): StatusObject {
  expectStatus(answer, code);
  const status = answer.json<StatusObject>();
  expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code });
  expect(status.message).toBeTypeOf('string');
  return status;
}

/** A version of the same type that the server cannot have reached. */
export const farAhead = (version: string): string => String(BigInt(version) + 1_000_000_000n);

export const namesIn = ({ items }: ApiList): string[] => items.map(({ metadata }) => metadata.name);

export const deployments = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

export function deployment(name: string, replicas = 1) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}
