import { describe, expect, it } from 'vitest';
import { credentialsFor } from './credentials.js';
import { repositoryOf, withTag } from './image-names.js';

describe('the name of an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  it.each([
    ['busybox', 'busybox:latest', 'docker.io/library/busybox'],
    ['busybox:1.36', 'busybox:1.36', 'docker.io/library/busybox'],
    ['a/b', 'a/b:latest', 'docker.io/a/b'],
    ['localhost/a', 'localhost/a:latest', 'localhost/a'],
    ['r.example.com:5000/a/b:v1', 'r.example.com:5000/a/b:v1', 'r.example.com:5000/a/b'],
    [`a@${digest}`, `a@${digest}`, 'docker.io/library/a'],
  ])('%s is complete as %s', (name, complete, repository) => {
    expect([withTag(name), repositoryOf(name)]).toEqual([complete, repository]);
  });

  it.each(['', 'A', 'a:', 'a b', '/a', 'a//b', 'a@sha256:1', `${'a'.repeat(1100)}`])('%s is none', (name) => {
    expect(() => withTag(name)).toThrow(`Failed to apply default image tag "${name}": couldn't parse image name`);
  });
});

describe('credentials', () => {
  const secret = (auths: object) => ({
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
  });
  const users = (image: string, auths: object) =>
    credentialsFor(image, [secret(auths)]).map(({ username }) => username);
  const auth = Buffer.from('joe:pass:word').toString('base64');

  it('are those of the registry, the longest path first', () => {
    const auths = {
      'https://index.docker.io/v1/': { username: 'hub' },
      'r.example.com': { auth },
      'r.example.com/team': { username: 'team' },
      '*.example.com': { username: 'any' },
      'r.example.com:5000': { username: 'port' },
    };
    expect(users('busybox', auths)).toEqual(['hub']);
    expect(users('r.example.com/team/a:1', auths)).toEqual(['team', 'joe', 'any']);
    expect(users('r.example.com/other', auths)).toEqual(['joe', 'any']);
    expect(users('example.com/other', auths)).toEqual([]);
    expect(credentialsFor('r.example.com/x', [secret({ 'r.example.com': { auth } })])).toEqual([
      { username: 'joe', password: 'pass:word', serverAddress: 'r.example.com' },
    ]);
  });

  it('of the older form are taken, and broken ones left out', () => {
    const data = { '.dockercfg': Buffer.from(JSON.stringify({ 'a.b': { username: 'u' } })).toString('base64') };
    expect(credentialsFor('a.b/c', [{ type: 'kubernetes.io/dockercfg', data }])).toHaveLength(1);
    const broken = [
      { data: { '.dockerconfigjson': 'e30' } },
      { data: { '.dockerconfigjson': '!' } },
      secret({ 'a.b': 5 }),
      {},
    ];
    expect(credentialsFor('a.b/c', broken)).toEqual([]);
  });
});
