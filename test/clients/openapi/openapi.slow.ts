import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { findGo } from '../go-tools.js';

const MODULE = 'k8s.io/kubernetes@v1.27.16';
const SETUP_MS = 600_000;

type Json = { readonly [name: string]: unknown };
interface Document {
  readonly definitions: Readonly<Record<string, Json>>;
  readonly paths: Readonly<Record<string, Json>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly $ref?: string;
}

/** Left out of either: words are each one's own, and the published document says neither values nor most defaults. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['description', 'default', 'enum']);
/** Models of which the reference lists the groups that it was compiled with, served or not. */
const IN_EVERY_GROUP = /\.(DeleteOptions|Status|WatchEvent)$/;
/** Parameters that only our document has: a time for logs. */
const ALSO_SAID: ReadonlySet<string> = new Set(['sinceTime']);

const POLICY = 'io.k8s.api.admissionregistration.v1alpha1';
const DEFINITION = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
/** Models that came after the release (gates `LaterExpressions` and `CustomResourceFieldSelectors`), and those that have got members since. */
const LATER = [`${POLICY}.Variable`, `${DEFINITION}.SelectableField`];
const GROWN = [
  `${POLICY}.ParamRef`,
  `${POLICY}.ValidatingAdmissionPolicySpec`,
  `${DEFINITION}.CustomResourceDefinitionVersion`,
  `${DEFINITION}.ValidationRule`,
];

/** Logs of the server as files, keys of service accounts, and a status that nobody may set without a feature that went. */
const NOT_SERVED = /^\/(logs|openid|\.well-known)\/|\/networkpolicies\/\{name\}\/status$/;

/** OpenAPI 2 of this server beside the one that is published with release 1.27. */
describe('OpenAPI beside the published document', () => {
  let server: Standalone;
  let ours: Document;
  let theirs: Document;

  beforeAll(async () => {
    const found = execFileSync(findGo(), ['mod', 'download', '-json', MODULE], {
      encoding: 'utf8',
      maxBuffer: 1 << 20,
    });
    const { Dir } = JSON.parse(found) as { Dir: string };
    theirs = JSON.parse(readFileSync(join(Dir, 'api/openapi-spec/swagger.json'), 'utf8')) as Document;
    server = await startStandalone({
      naming: 'kubernetes',
      args: ['--runtime-config=api/all=true', '--feature-gates=ClusterTrustBundle=true'],
    });
    const api = new Api(server);
    ours = (await api.get('/openapi/v2')).json<unknown>() as Document;
    api.close();
  }, SETUP_MS);
  afterAll(() => server?.stop());

  test('describes the same models: types, keys of lists, merges and kinds', () => {
    const shared = Object.keys(ours.definitions).filter((name) => name in theirs.definitions);
    expect(Object.keys(ours.definitions).filter((name) => !(name in theirs.definitions))).toEqual(LATER);
    expect(shared.length).toBeGreaterThan(480);
    const different = shared
      .filter((name) => !IN_EVERY_GROUP.test(name))
      .filter((name) => !isDeepStrictEqual(comparable(ours.definitions[name]), comparable(theirs.definitions[name])));
    expect(different.sort()).toEqual(GROWN);
  });

  test('describes the same operations: parameters, media types, actions and kinds', () => {
    const problems = Object.entries(ours.paths).flatMap(([path, item]) => {
      const published = theirs.paths[path];
      return published ? differences(path, item, published) : [`${path} is not published`];
    });
    expect(problems).toEqual([]);
    expect(Object.keys(ours.paths).length).toBeGreaterThan(180);
  });

  test('has every published operation of what is served', () => {
    const missing = Object.entries(theirs.paths)
      .filter(([path]) => !NOT_SERVED.test(path))
      .flatMap(([path, item]) =>
        Object.keys(item)
          .filter((method) => method !== 'parameters' && !(method in (ours.paths[path] ?? {})))
          .map((method) => `${method} ${path}`),
      );
    expect(missing).toEqual([]);
    expect(Object.keys(theirs.definitions).filter((name) => !(name in ours.definitions))).toEqual([]);
  });

  function differences(path: string, item: Json, published: Json): string[] {
    return Object.keys(item).flatMap((method) => {
      const [one, other] = [item[method] as Json, published[method] as Json | undefined];
      if (!other) return [`${method} ${path} is not published`];
      const shared = published.parameters as readonly Parameter[] | undefined;
      const parts = [
        ['parameters', parametersOf(one, undefined, ours), parametersOf(other, shared, theirs)],
        ...['consumes', 'produces', 'x-kubernetes-action', 'x-kubernetes-group-version-kind', 'operationId'].map(
          (name) => [name, comparable(one[name]), comparable(other[name])] as const,
        ),
      ] as const;
      return parts.flatMap(([name, a, b]) =>
        isDeepStrictEqual(a, b) ? [] : [`${method} ${path}: ${name}: ${JSON.stringify(a)} is ${JSON.stringify(b)}`],
      );
    });
  }
});

function parametersOf(operation: Json, shared: readonly Parameter[] = [], { parameters = {} }: Document): unknown {
  const all = [...shared, ...((operation.parameters as readonly Parameter[]) ?? [])]
    .map((each) => (each.$ref ? (parameters[each.$ref.slice('#/parameters/'.length)] as Parameter) : each))
    .filter(({ name }) => !ALSO_SAID.has(name));
  return comparable(Object.fromEntries(all.map((each) => [`${each.in} ${each.name}`, each])));
}

/** In one order of names, and of texts in a list; without what is not compared. A property may bear any name. */
function comparable(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item));
    return items.every((item) => typeof item === 'string') ? items.sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isNames || !NOT_COMPARED.has(name));
  return Object.fromEntries(
    kept
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, comparable(each, !isNames && name === 'properties')]),
  );
}
