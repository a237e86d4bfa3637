import { StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { parseResourcePath } from './request-info.js';

const parts = (path: string) => {
  const found = parseResourcePath(path);
  if (!found) return undefined;
  const { group, version, namespace, resource, name, subresource, rest } = found;
  return [group, version, namespace, resource, name, subresource, rest];
};

describe('parseResourcePath (spec: "Path shapes")', () => {
  it.each([
    ['/api/v1/pods', ['', 'v1', '', 'pods', '', '', '']],
    ['/api/v1/pods/', ['', 'v1', '', 'pods', '', '', '']],
    ['/api/v1/nodes/n1', ['', 'v1', '', 'nodes', 'n1', '', '']],
    ['/api/v1/nodes/n1/status', ['', 'v1', '', 'nodes', 'n1', 'status', '']],
    ['/api/v1/namespaces', ['', 'v1', '', 'namespaces', '', '', '']],
    ['/api/v1/namespaces/a', ['', 'v1', '', 'namespaces', 'a', '', '']],
    ['/api/v1/namespaces/a/status', ['', 'v1', '', 'namespaces', 'a', 'status', '']],
    ['/api/v1/namespaces/a/finalize', ['', 'v1', '', 'namespaces', 'a', 'finalize', '']],
    ['/api/v1/namespaces/a/pods', ['', 'v1', 'a', 'pods', '', '', '']],
    ['/api/v1/namespaces/a/pods/p/status', ['', 'v1', 'a', 'pods', 'p', 'status', '']],
    ['/api/v1/namespaces/a/services/s/proxy/x/y', ['', 'v1', 'a', 'services', 's', 'proxy', 'x/y']],
    ['/apis/apps/v1/deployments', ['apps', 'v1', '', 'deployments', '', '', '']],
    ['/apis/apps/v1/namespaces/a/deployments/d/scale', ['apps', 'v1', 'a', 'deployments', 'd', 'scale', '']],
    // Only the core group has namespaces whose subresources look like types.
    ['/apis/apps/v1/namespaces/a/status', ['apps', 'v1', 'a', 'status', '', '', '']],
    ['/api/v1/nodes/a%2Fb', ['', 'v1', '', 'nodes', 'a/b', '', '']],
    ['/api/v1/nodes/%C3%A9', ['', 'v1', '', 'nodes', 'é', '', '']],
  ])('%s', (path, expected) => {
    expect(parts(path)).toEqual(expected);
  });

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/version',
    '/api/v1//pods',
    '',
  ])('%j is not of a resource', (path) => {
    expect(parseResourcePath(path)).toBeUndefined();
  });

  it.each(['*/api/v1/pods', 'x/api/v1/pods', '//api/v1/pods', 'http://host/api/v1/pods'])(
    '%s does not begin where paths do',
    (path) => {
      expect(parseResourcePath(path)).toBeUndefined();
    },
  );

  it.each([
    ['/api/v1/namespaces/a%00b/pods'],
    ['/api/v1/namespaces/a/pods/p%00'],
    ['/apis/%00/v1/pods'],
    [`/api/v1/nodes/${'n'.repeat(1025)}`],
    // Bytes count, not characters.
    [`/api/v1/nodes/${'%C3%A9'.repeat(513)}`],
    ['/api/v1/nodes/%zz'],
    ['/api/v1/nodes/%E0%A4'],
  ])('refuses what no name can be: %.60s', (path) => {
    let thrown: unknown;
    try {
      parseResourcePath(path);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StatusError);
    expect((thrown as StatusError).status).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('takes segments of up to 1,024 bytes', () => {
    expect(parts(`/api/v1/nodes/${'n'.repeat(1024)}`)?.[4]).toHaveLength(1024);
  });
});
