import { StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { attributesOf, pluginOf, refusalOf, TestObjects, targetOf } from '../../testing/index.js';

const namespace = (name: string, metadata: object = {}) => ({ metadata: { name, ...metadata } });
const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const objects = new TestObjects().put('', 'namespaces', namespace('default'), namespace('going', GOING));
const plugin = pluginOf('NamespaceLifecycle', { objects });

describe('NamespaceLifecycle', () => {
  it.each(['default', 'kube-system', 'kube-public'])('keeps %s', async (name) => {
    const deletion = { operation: 'DELETE', resource: 'namespaces', name, namespace: name } as const;
    expect(await refusalOf(plugin, attributesOf(deletion))).toBe(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
    expect(plugin.handles(targetOf({ ...deletion, operation: 'UPDATE' }))).toBe(false);
  });

  it('lets others go, and what lies in those', () => {
    expect(plugin.handles(targetOf({ operation: 'DELETE', resource: 'namespaces', name: 'a', namespace: 'a' }))).toBe(
      false,
    );
    expect(plugin.handles(targetOf({ operation: 'DELETE', resource: 'configmaps', name: 'default' }))).toBe(false);
  });

  it('lets objects be made in a namespace that is there', () => {
    expect(plugin.admit?.(attributesOf())).toBeUndefined();
    expect(plugin.handles(targetOf({ resource: 'nodes', namespace: '' }))).toBe(false);
    expect(plugin.handles(targetOf({ resource: 'namespaces', name: 'new', namespace: 'new' }))).toBe(false);
  });

  it('refuses them elsewhere', async () => {
    expect(await refusalOf(plugin, attributesOf({ namespace: 'gone' }))).toBe('namespaces "gone" not found');
    const error = await Promise.resolve(plugin.admit?.(attributesOf({ namespace: 'going' }))).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StatusError);
    expect(error.status).toMatchObject({
      message: 'pods "a" is forbidden: unable to create new content in namespace going because it is being terminated',
      code: 403,
      details: {
        name: 'a',
        kind: 'pods',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace going is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  it('looks again where memory is behind', async () => {
    const late = new TestObjects();
    late.read = async () => namespace('new');
    const behind = pluginOf('NamespaceLifecycle', { objects: late });
    expect(await refusalOf(behind, attributesOf({ namespace: 'new' }))).toBeUndefined();
  });

  it('tells nothing of namespaces to who asks for rights', () => {
    const review = { group: 'authorization.k8s.io', resource: 'localsubjectaccessreviews', namespace: 'gone' };
    expect(plugin.handles(targetOf(review))).toBe(false);
  });
});
