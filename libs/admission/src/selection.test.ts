import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NamingProfile } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { readAdmissionConfiguration } from './configuration.js';
import { PLUGINS } from './plugins.js';
import { selectionProblems, selectPlugins } from './selection.js';

const namesOf = (
  enable: readonly string[] = [],
  disable: readonly string[] = [],
  naming: NamingProfile = 'kubernetes',
) => selectPlugins({ enable, disable }, naming).map(({ name }) => name);

describe('the plugins of a process', () => {
  it('are those on by default, in the order of the table', () => {
    expect(namesOf()).toEqual(PLUGINS.filter(({ onByDefault }) => onByDefault === true).map(({ name }) => name));
    expect(namesOf().slice(-3)).toEqual([...namesOf()].slice(-3));
    expect(namesOf()[0]).toBe('NamespaceLifecycle');
  });

  it('hold owners of objects to what they may, where the naming is orch', () => {
    const plugin = 'OwnerReferencesPermissionEnforcement';
    expect(namesOf([], [], 'orch').filter((name) => !namesOf().includes(name))).toEqual([plugin]);
    expect(namesOf([], [plugin], 'orch')).toEqual(namesOf());
    expect(namesOf([plugin])).toEqual(namesOf([], [], 'orch'));
  });

  it('are those that options name, in whatever order', () => {
    const [first = '', second = ''] = namesOf();
    expect(namesOf([], [second, first])).toEqual(namesOf().slice(2));
    expect(namesOf([second, first])).toEqual(namesOf());
  });

  it.each([
    [['Nobody'], [], ['enable-admission-plugins plugin "Nobody" is unknown']],
    [[], ['Nobody'], ['disable-admission-plugins plugin "Nobody" is unknown']],
    [
      ['Priority', 'NamespaceLifecycle', 'Priority'],
      ['NamespaceLifecycle', 'Priority'],
      ['[NamespaceLifecycle Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
    ],
    [['Priority'], ['NamespaceLifecycle'], []],
  ])('on %j, off %j: %j', (enable, disable, problems) => {
    expect(selectionProblems({ enable, disable })).toEqual(problems);
  });
});

it('nothing depends on the name of a plugin: it says itself what it needs', () => {
  const libs = fileURLToPath(new URL('../..', import.meta.url));
  const files = readdirSync(libs).flatMap((name) =>
    readdirSync(join(libs, name, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(libs, name, 'src', file),
    ),
  );
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const named = new RegExp(`\\bname [=!]== '(${PLUGINS.map(({ name }) => name).join('|')})'`);
  expect(named.test("plugins.some(({ name }) => name === 'Priority')")).toBe(true);
  expect(sources.filter((file) => named.test(readFileSync(file, 'utf8')))).toEqual([]);
});

const GIVEN = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };

describe('an AdmissionConfiguration', () => {
  it('says to plugins what they are configured with', () => {
    const plugins = [
      { name: 'Priority', configuration: { a: 1 }, path: 'ignored.yaml' },
      { name: 'NamespaceLifecycle', path: 'b.yaml', configuration: null },
      { name: 'CertificateApproval' },
      { name: 'Priority', configuration: { late: true } },
    ];
    expect([...readAdmissionConfiguration({ ...GIVEN, plugins })].sort()).toEqual([
      ['CertificateApproval', {}],
      ['NamespaceLifecycle', { path: 'b.yaml' }],
      ['Priority', { configuration: { a: 1 } }],
    ]);
  });

  it.each(['apiserver.config.orch.io/v1', 'apiserver.k8s.io/v1alpha1'])('may be of %s', (apiVersion) => {
    expect(readAdmissionConfiguration({ ...GIVEN, apiVersion }).size).toBe(0);
  });

  it.each([
    ['a list', [], 'the file is not an object'],
    ['nothing', null, 'the file is not an object'],
    ['another kind', { ...GIVEN, kind: 'Pod' }, 'kind must be AdmissionConfiguration'],
    ['another version', { ...GIVEN, apiVersion: 'apiserver.config.k8s.io/v2' }, 'unknown apiVersion'],
    ['another field', { ...GIVEN, plugin: [] }, 'unknown fields: plugin'],
    ['no list', { ...GIVEN, plugins: {} }, 'plugins must be a list'],
    ['no plugin', { ...GIVEN, plugins: [1] }, 'plugins[0] is not an object'],
    [
      'an unknown plugin',
      { ...GIVEN, plugins: [{ name: 'Nobody' }] },
      'plugins[0].name: unknown admission plugin: Nobody',
    ],
    ['another field of a plugin', { ...GIVEN, plugins: [{ name: 'Priority', config: {} }] }, 'plugins[0].config'],
    ['a path that is none', { ...GIVEN, plugins: [{ name: 'Priority', path: 1 }] }, 'plugins[0].path must be a string'],
  ])('is not %s', (_, value, problem) => {
    expect(() => readAdmissionConfiguration(value)).toThrow(problem);
  });
});
