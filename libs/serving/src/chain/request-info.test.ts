import { StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { splitTarget } from '../http/context.js';
import { isLongRunning, requestInfo } from './request-info.js';

const read = (method: string, target: string) => {
  const { path, query } = splitTarget(target);
  return requestInfo(method, path, query);
};

/** Verb, group, version, namespace, resource, subresource and name. */
const asked = (method: string, target: string) => {
  const { isResourceRequest, verb, group, version, namespace, resource, subresource, name } = read(method, target);
  expect(isResourceRequest).toBe(true);
  return [verb, group, version, namespace, resource, subresource, name];
};

describe('a request of a resource', () => {
  it.each([
    ['GET', '/api/v1/namespaces', ['list', '', 'v1', '', 'namespaces', '', '']],
    ['GET', '/api/v1/namespaces/a', ['get', '', 'v1', 'a', 'namespaces', '', 'a']],
    ['GET', '/api/v1/namespaces/a/pods', ['list', '', 'v1', 'a', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/a/pods/', ['list', '', 'v1', 'a', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/a/pods/p', ['get', '', 'v1', 'a', 'pods', '', 'p']],
    ['HEAD', '/api/v1/namespaces/a/pods/p', ['get', '', 'v1', 'a', 'pods', '', 'p']],
    ['GET', '/api/v1/pods', ['list', '', 'v1', '', 'pods', '', '']],
    ['HEAD', '/api/v1/pods', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/nodes/n', ['get', '', 'v1', '', 'nodes', '', 'n']],
    // Verbs that stand in the path.
    ['GET', '/api/v1/proxy/namespaces/a/pods/p', ['proxy', '', 'v1', 'a', 'pods', '', 'p']],
    ['GET', '/api/v1/watch/pods', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/watch/namespaces/a/pods', ['watch', '', 'v1', 'a', 'pods', '', '']],
    ['GET', '/apis/apps/v1/watch/namespaces/a/deployments/d', ['watch', 'apps', 'v1', 'a', 'deployments', '', 'd']],
    ['GET', '/api/v1/watch', ['list', '', 'v1', '', 'watch', '', '']],
    // Watches by parameter.
    ['GET', '/api/v1/pods?watch=true', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods?watch=false', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/a/pods?watch=1', ['watch', '', 'v1', 'a', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/a/pods?watch=0', ['list', '', 'v1', 'a', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/a/pods/p?watch=1', ['watch', '', 'v1', 'a', 'pods', '', 'p']],
    ['GET', '/api/v1/namespaces/a/pods//', ['list', '', 'v1', 'a', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/a/pods/p/status?watch=1', ['get', '', 'v1', 'a', 'pods', 'status', 'p']],
    // Of all namespaces.
    ['GET', '/api/v1/namespaces//', ['list', '', 'v1', '', 'namespaces', '', '']],
    ['GET', '/api/v1/namespaces//pods', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/namespaces//pods?watch=1', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/watch/namespaces//pods', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/apis/apps/v1/namespaces//deployments/d/scale', ['get', 'apps', 'v1', '', 'deployments', 'scale', 'd']],
    // Subresources.
    ['GET', '/api/v1/namespaces/a/pods/p/status', ['get', '', 'v1', 'a', 'pods', 'status', 'p']],
    ['GET', '/api/v1/namespaces/a/pods/p/proxy/x/y', ['get', '', 'v1', 'a', 'pods', 'proxy', 'p']],
    ['PUT', '/api/v1/namespaces/a/finalize', ['update', '', 'v1', 'a', 'namespaces', 'finalize', 'a']],
    ['PUT', '/api/v1/namespaces/a/status', ['update', '', 'v1', 'a', 'namespaces', 'status', 'a']],
    ['POST', '/api/v1/namespaces/a/pods/p/eviction', ['create', '', 'v1', 'a', 'pods', 'eviction', 'p']],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/a/deployments/d/scale',
      ['patch', 'apps', 'v1', 'a', 'deployments', 'scale', 'd'],
    ],
    // Only the core group has namespaces whose subresources look like types.
    ['GET', '/apis/apps/v1/namespaces/a/status', ['list', 'apps', 'v1', 'a', 'status', '', '']],
    // Verbs by method.
    ['PATCH', '/api/v1/namespaces/a/pods/p', ['patch', '', 'v1', 'a', 'pods', '', 'p']],
    ['DELETE', '/api/v1/namespaces/a/pods/p', ['delete', '', 'v1', 'a', 'pods', '', 'p']],
    ['POST', '/apis/batch/v1/namespaces/a/jobs', ['create', 'batch', 'v1', 'a', 'jobs', '', '']],
    ['DELETE', '/api/v1/nodes', ['deletecollection', '', 'v1', '', 'nodes', '', '']],
    ['DELETE', '/api/v1/namespaces', ['deletecollection', '', 'v1', '', 'namespaces', '', '']],
    ['DELETE', '/apis/batch/v1/namespaces/a/jobs', ['deletecollection', 'batch', 'v1', 'a', 'jobs', '', '']],
    ['OPTIONS', '/api/v1/pods', ['', '', 'v1', '', 'pods', '', '']],
    // Names as they are meant, not as they are written.
    ['GET', '/api/v1/nodes/a%2Fb', ['get', '', 'v1', '', 'nodes', '', 'a/b']],
    ['GET', '/api/v1/nodes/%C3%A9', ['get', '', 'v1', '', 'nodes', '', 'é']],
  ])('%s %s', (method, target, expected) => {
    expect(asked(method, target)).toEqual(expected);
  });

  it('says where the object lies, which for a namespace is nowhere', () => {
    expect(read('GET', '/api/v1/namespaces/a')).toMatchObject({ within: '', pathName: 'a' });
    expect(read('GET', '/api/v1/namespaces/a/pods/p')).toMatchObject({ within: 'a', pathName: 'p' });
    // No way around the rules of a namespace: this is nothing that is served.
    expect(read('GET', '/api/v1/namespaces/a/namespaces/b')).toMatchObject({ within: 'a', namespace: 'a', name: 'b' });
    expect(read('GET', '/api/v1/namespaces/a/services/s/proxy/x/y').rest).toBe('x/y');
  });
});

describe('a field selector of one name', () => {
  const resource = '/api/v1/namespaces/a/pods';

  it.each([
    [`${resource}?fieldSelector=metadata.name=p`, 'list', 'p'],
    [`${resource}?fieldSelector=metadata.name%3D%3Dp&watch=1`, 'watch', 'p'],
    [`${resource}?fieldSelector=spec.nodeName=n,metadata.name=p`, 'list', 'p'],
    [`${resource}?fieldSelector=metadata.name!=p`, 'list', ''],
    [`${resource}?fieldSelector=spec.nodeName=n`, 'list', ''],
    [`${resource}?fieldSelector=metadata.name=p,rubbish`, 'list', ''],
    [`${resource}?fieldSelector=metadata.name=a/b`, 'list', ''],
    [`${resource}?fieldSelector=metadata.name=..`, 'list', ''],
    [`${resource}?fieldSelector=`, 'list', ''],
    [`${resource}/q?fieldSelector=metadata.name=p`, 'get', 'q'],
  ])('%s', (target, verb, name) => {
    expect(read('GET', target)).toMatchObject({ verb, name });
  });

  it('names what is asked for, and is no part of the path', () => {
    expect(read('GET', `${resource}?fieldSelector=metadata.name=p`).pathName).toBe('');
    expect(read('GET', '/api/v1/namespaces?fieldSelector=metadata.name=x')).toMatchObject({ namespace: '', name: 'x' });
  });

  it('does not for a deletion of a collection', () => {
    expect(read('DELETE', `${resource}?fieldSelector=metadata.name=p`)).toMatchObject({
      verb: 'deletecollection',
      name: '',
    });
  });
});

describe('a bare path', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1//',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/apps/v1/',
    '/version',
    '/not-api/v1/pods',
    '/api/v1//pods',
    '/api/v1//namespaces/a/pods',
    '/api/v1/pods//p',
    '/api/v1/namespaces/a//pods',
    '/api/v1/namespaces/a/pods//status',
    '/api/v1/namespaces//status',
    '/api/v1/namespaces///pods',
    '/api/v1/watch//pods',
    '',
    '*/api/v1/pods',
    'x/api/v1/pods',
    '//api/v1/pods',
    'http://host/api/v1/pods',
  ])('%j is not of a resource', (path) => {
    expect(read('GET', path)).toMatchObject({ isResourceRequest: false, verb: 'get', path, resource: '', name: '' });
  });

  it('has the method for its verb', () => {
    expect(read('HEAD', '/healthz').verb).toBe('head');
    expect(read('POST', '/api').verb).toBe('post');
  });
});

describe('a path that nothing can have', () => {
  it.each([
    ['/api/v1/namespaces/a%00b/pods'],
    ['/api/v1/namespaces/a/pods/p%00'],
    ['/apis/%00/v1/pods'],
    [`/api/v1/nodes/${'n'.repeat(1025)}`],
    // Bytes count, not characters.
    [`/api/v1/nodes/${'%C3%A9'.repeat(513)}`],
    ['/api/v1/nodes/%zz'],
    ['/api/v1/nodes/%E0%A4'],
  ])('is refused: %.60s', (path) => {
    let thrown: unknown;
    try {
      read('GET', path);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StatusError);
    expect((thrown as StatusError).status).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('is not one of segments of 1,024 bytes', () => {
    expect(read('GET', `/api/v1/nodes/${'n'.repeat(1024)}`).name).toHaveLength(1024);
  });
});

it.each([
  ...['pods/a/exec', 'pods/a/attach', 'pods/a/portforward', 'pods/a/log', 'pods/a/proxy'].map((path) => [path, true]),
  ...['services/a/proxy/x', 'nodes/a/proxy'].map((path) => [path, true]),
  ...['pods/a', 'pods/a/status', 'pods/a/eviction', 'pods/log', 'configmaps/exec'].map((path) => [path, false]),
] as [string, boolean][])('whether %s is long-running is declared with its subresource', (path, expected) => {
  const prefix = path.startsWith('nodes/') ? '/api/v1' : '/api/v1/namespaces/default';
  expect(isLongRunning(read('GET', `${prefix}/${path}`))).toBe(expected);
});

it('long-running are watches and proxied streams', () => {
  expect(isLongRunning(read('GET', '/api/v1/pods?watch=1'))).toBe(true);
  expect(isLongRunning(read('GET', '/api/v1/pods'))).toBe(false);
  expect(isLongRunning(read('WATCH', '/x'))).toBe(false);
});
