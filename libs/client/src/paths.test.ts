import { expect, it } from 'vitest';
import { cleanPath } from './paths.js';
import { redirectedTo } from './redirects.js';

// What kube-apiserver 1.27.16 sent for a webhook with a URL of this path.
it.each([
  ['', '/'],
  ['/', '/'],
  ['//mutate-x', '/mutate-x'],
  ['/mutate/', '/mutate'],
  ['/a//b', '/a/b'],
  ['/a/./b/../c', '/a/c'],
  ['/../a', '/a'],
  ['/a%2Fb', '/a/b'],
  ['/a%2F..%2F..%2Fb', '/b'],
  ['/a%20b', '/a%20b'],
  ["/a'(b)!*", '/a%27%28b%29%21%2A'],
  ['/a:b@c;d=e&f,g+h$', '/a:b@c;d=e&f,g+h$'],
  ['/%C3%BC', '/%C3%BC'],
  ['/a%3Fb', '/a%3Fb'],
  ['/a%ffb', '/a%FFb'],
  ['/a;b/', '/a;b'],
])('cleans %j to %j', (path, cleaned) => {
  expect(cleanPath(path)).toBe(cleaned);
});

const ORIGIN = 'https://hooks.example:8443';
it.each([
  [307, '/b?timeout=1s', '/b?timeout=1s'],
  [308, 'b', '/a/b'],
  [307, `${ORIGIN}/c`, '/c'],
  [307, 'https://hooks.example/c', undefined],
  [307, 'http://hooks.example:8443/c', undefined],
  [307, '//elsewhere.example/c', undefined],
  [307, 'https://user@hooks.example:8443/c', undefined],
  [307, 'https://[', undefined],
  [302, '/b', undefined],
  [200, '/b', undefined],
])('follows %d to %j: %j', (statusCode, location, target) => {
  expect(redirectedTo({ statusCode, headers: { location } }, ORIGIN, '/a/x')).toBe(target);
});
