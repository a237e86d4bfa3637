import { servesSubresource, verbsWith } from '@orch/handlers';
import { type Names, namesOf, StatusError } from '@orch/machinery';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitTarget } from '../http/context.js';
import { requestInfo } from './request-info.js';
import { ResourceRouter } from './router.js';

let api: TestApi;
let router: ResourceRouter;
beforeAll(async () => {
  api = await testApi();
  router = new ResourceRouter(api.served, verbsWith(api.deps));
});
afterAll(() => api.close());

function route(method: string, target: string, from = router) {
  const { path, query } = splitTarget(target);
  return from.route(requestInfo(method, path, query));
}

/** The verb that a request comes to, or the code of its refusal. */
function verb(method: string, target: string): unknown {
  try {
    return route(method, target)?.verb;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const ns = '/api/v1/namespaces/default';

describe('verbs (spec: "Path shapes")', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list'],
    ['GET', `${ns}/pods`, 'list'],
    ['GET', `${ns}/pods/p`, 'get'],
    ['GET', `${ns}/pods/p/status`, 'get'],
    ['GET', '/api/v1/pods?watch=1', 'watch'],
    ['GET', '/api/v1/pods?watch', 'watch'],
    ['GET', `${ns}/pods?watch=true`, 'watch'],
    ['GET', `${ns}/pods?watch=false`, 'list'],
    ['GET', `${ns}/pods/p?watch=1`, 'watch'],
    ['GET', '/api/v1/namespaces//pods', 'list'],
    ['GET', '/api/v1/namespaces//pods?watch=1', 'watch'],
    ['GET', '/api/v1/watch/namespaces//pods', 'watch'],
    ['POST', '/api/v1/namespaces//pods', 405],
    // Who left a name out does not mean to empty all namespaces, though release 1.27 takes it so.
    ['DELETE', '/api/v1/namespaces//pods', 405],
    ['GET', `${ns}/pods?fieldSelector=metadata.name=p`, 'list'],
    ['GET', `${ns}/pods?watch=perhaps`, 'watch'],
    ['GET', '/api/v1/watch/pods', 'watch'],
    ['GET', '/api/v1/watch/pods?watch=0', 'watch'],
    ['GET', '/api/v1/watch/namespaces/default/pods', 'watch'],
    ['GET', '/api/v1/watch/namespaces/default/pods/p', 'watch'],
    ['GET', '/api/v1/watch/namespaces', 'watch'],
    ['GET', '/api/v1/watch/namespaces/default', 'watch'],
    ['GET', '/api/v1/watch/nodes/n', 'watch'],
    ['GET', '/apis/apps/v1/watch/namespaces/default/deployments', 'watch'],
    ['POST', '/api/v1/watch/namespaces/default/pods', 405],
    ['DELETE', '/api/v1/watch/namespaces/default/pods/p', 405],
    ['GET', '/api/v1/watch/pods/p', 404],
    ['GET', '/api/v1/watch/namespaces/default/pods/p/status', 404],
    ['GET', '/api/v1/watch/componentstatuses', 404],
    ['GET', '/api/v1/watch/nosuch', 404],
    ['GET', '/api/v1/proxy/namespaces/default/pods/p', 404],
    ['GET', '/api/v1/watch/watch/pods', 404],
    ['POST', `${ns}/pods`, 'create'],
    ['PUT', `${ns}/pods/p`, 'update'],
    ['PUT', `${ns}/pods/p/status`, 'update'],
    ['PATCH', `${ns}/pods/p`, 'patch'],
    ['DELETE', `${ns}/pods/p`, 'delete'],
    ['DELETE', `${ns}/pods`, 'deletecollection'],
    ['GET', '/api/v1/namespaces', 'list'],
    ['GET', ns, 'get'],
    ['PUT', `${ns}/finalize`, 'update'],
    ['PUT', `${ns}/status`, 'update'],
    ['GET', `/apis/apps/v1/namespaces/default/deployments/d/scale`, 'get'],
    ['PATCH', `/apis/apps/v1/namespaces/default/deployments/d/scale`, 'patch'],
    ['POST', `${ns}/pods/p/eviction`, 'create'],
    ['GET', `${ns}/pods/p/eviction`, 405],
    ['GET', `${ns}/pods/p/log`, 'get'],
    ['POST', `${ns}/pods/p/exec`, 'create'],
    ['HEAD', `${ns}/pods/p/log`, 405],
    ['HEAD', `${ns}/services/s/proxy`, 'get'],
    ['OPTIONS', `${ns}/services/s/proxy/some/where`, 'get'],
    ['OPTIONS', '/api/v1/nodes/n/proxy', 'get'],
    ['OPTIONS', `${ns}/pods/p/exec`, 405],
    ['OPTIONS', `${ns}/pods/p`, 405],
    ['TRACE', `${ns}/services/s/proxy`, 405],
    ['DELETE', `${ns}/services/http:s:80/proxy/some/where`, 'delete'],
    ['PATCH', '/api/v1/nodes/n/proxy', 'patch'],
    ['POST', `${ns}/bindings`, 'create'],
    ['GET', `${ns}/bindings`, 405],
    ['GET', '/api/v1/componentstatuses', 'list'],
    ['GET', '/api/v1/componentstatuses?watch=1', 405],
    ['GET', '/api/v1/componentstatuses/postgres', 'get'],
    ['DELETE', '/api/v1/componentstatuses/postgres', 405],
  ])('%s %s is %s', (method, target, expected) => {
    expect(verb(method, target)).toBe(expected);
  });

  it('counts a watch parameter as one wherever it is asked with', () => {
    expect(verb('GET', '/api/v1/pods?limit=1&watch=true')).toBe('watch');
  });
});

describe('404', () => {
  it.each([
    ['GET', '/api/v1/nosuch'],
    ['GET', '/api/v2/pods'],
    ['GET', '/apis/apps/v1/pods'],
    ['GET', '/apis/nosuch/v1/pods'],
    ['GET', `${ns}/nodes`],
    ['GET', `${ns}/namespaces`],
    ['GET', `${ns}/namespaces/default`],
    ['GET', '/api/v1/watch/nosuch'],
    ['GET', `${ns}/nodes/n`],
    ['GET', `${ns}/pods/p/nosuch`],
    ['GET', `${ns}/pods/p/status/more`],
    ['POST', `${ns}/pods/p/evictions`],
    ['GET', `${ns}/pods/p/log/more`],
    ['GET', `${ns}/componentstatuses`],
    ['POST', '/api/v1/pods/p/eviction'],
    ['POST', `${ns}/pods/p/nosuch`],
    // Objects of a namespace have no place outside of it.
    ['GET', '/api/v1/pods/p'],
    ['GET', '/api/v1/pods/p?watch=1'],
    ['GET', '/api/v1/namespaces//nodes'],
    ['GET', '/api/v1/namespaces//nodes/n'],
    ['GET', '/api/v1/namespaces//pods/p/nosuch'],
    ['PUT', '/api/v1/pods/p'],
    ['DELETE', '/api/v1/pods/p'],
    ['GET', '/apis/__proto__/v1/pods'],
    ['GET', '/api/v1/constructor'],
  ])('%s %s', (method, target) => {
    expect(verb(method, target)).toBe(404);
  });
});

describe('405', () => {
  it.each([
    ['POST', '/api/v1/pods'],
    ['DELETE', '/api/v1/pods'],
    ['POST', `${ns}/pods/p`],
    ['PUT', `${ns}/pods`],
    ['PATCH', `${ns}/pods`],
    ['DELETE', `${ns}/pods/p/status`],
    ['PUT', '/api/v1/nodes'],
    ['DELETE', '/api/v1/namespaces'],
    ['OPTIONS', `${ns}/pods`],
    ['HEAD', `${ns}/pods`],
    ['HEAD', `${ns}/pods/p`],
    ['HEAD', `${ns}/pods?watch=1`],
    ['DELETE', '/api/v1/watch/namespaces/default/pods/p'],
    ['get', `${ns}/pods`],
  ])('%s %s', (method, target) => {
    expect(verb(method, target)).toBe(405);
  });
});

describe('400', () => {
  it.each([
    ['GET', '/api/v1/namespaces//pods/p', 'Namespace parameter required.'],
    ['DELETE', '/api/v1/namespaces//pods/p', 'Namespace parameter required.'],
    ['PATCH', '/api/v1/namespaces//pods/p/status', 'Namespace parameter required.'],
    ['GET', `${ns}/pods/..`, 'Name parameter invalid: "..": may not be \'..\''],
    ['PUT', `${ns}/pods/%2E/status`, 'Name parameter invalid: ".": may not be \'.\''],
    ['GET', '/api/v1/namespaces/..', 'Name parameter invalid: "..": may not be \'..\''],
    ['DELETE', '/api/v1/nodes/a%2fb', 'Name parameter invalid: "a/b": may not contain \'/\''],
    ['PATCH', '/api/v1/nodes/a%25', 'Name parameter invalid: "a%": may not contain \'%\''],
  ])('%s %s', (method, target, message) => {
    expect(() => route(method, target)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});

describe('what is no resource', () => {
  it.each(['/', '/api', '/apis/apps/v1', '/healthz', '/openapi/v2'])('%s is left to others', (path) => {
    expect(verb('GET', path)).toBeUndefined();
  });

  it.each([`${ns}/pods/a%00`, `/api/v1/nodes/${'n'.repeat(1025)}`, '/api/v1/nodes/%'])(
    'a path that nothing can have is a 400: %.30s',
    (path) => {
      expect(verb('GET', path)).toBe(400);
    },
  );
});

describe('routes', () => {
  it('name what they are about', () => {
    const found = route('PUT', '/apis/apps/v1/namespaces/a/deployments/d/status');
    expect(found).toMatchObject({ namespace: 'a', name: 'd', subresource: 'status', verb: 'update' });
    expect(route('GET', '/api/v1/namespaces/a')).toMatchObject({ namespace: '', name: 'a' });
    expect(route('GET', '/api/v1/nodes?fieldSelector=metadata.name=n')?.name).toBe('');
    expect(found?.endpoint.definition.kind).toBe('Deployment');
  });

  it.each(['orch', 'kubernetes'] as const)('go by the names of the installation (%s)', async (profile) => {
    const names: Names = namesOf(profile);
    const other = await testApi({}, profile);
    const group = names.group('rbac.authorization.orch.io');
    const routes = new ResourceRouter(other.served, verbsWith(other.deps));
    expect(route('GET', `/apis/${group}/v1/clusterroles`, routes)?.verb).toBe('list');
    other.close();
  });

  it('serve no subresource that nobody carries out', () => {
    expect([servesSubresource('status'), servesSubresource('scale'), servesSubresource('nosuch')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
