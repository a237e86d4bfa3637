import type { ApiObject } from '@orch/machinery';
import { ManualInformer } from '@orch/runtime/testing';
import type { FollowedObjects, KnownObjects, KnownResource } from '../known-objects.js';

/** Objects that a test puts in by hand. */
export class TestObjects implements KnownObjects {
  readonly #kinds = new Map<string, TestKind>();

  follow({ group, resource }: KnownResource): FollowedObjects {
    return this.#kind(group, resource);
  }

  async read({ group, resource }: KnownResource, namespace: string, name: string): Promise<ApiObject | undefined> {
    return this.#kind(group, resource).get(namespace, name);
  }

  async *list({ group, resource }: KnownResource, namespace: string): AsyncIterable<readonly ApiObject[]> {
    yield [...this.#kind(group, resource).in(namespace)];
  }

  /** Puts objects in the places of those of their names. @param group as the specification names it */
  put(group: string, resource: string, ...objects: readonly ApiObject[]): this {
    const kind = this.#kind(group, resource);
    for (const object of objects) kind.put(object);
    return this;
  }

  /** Some of a resource cannot be read from now on; undefined for all can. */
  setUnreadable(group: string, resource: string, lack: Error | undefined): void {
    this.#kind(group, resource).lack = lack;
  }

  remove(group: string, resource: string, namespace: string, name: string): void {
    this.#kind(group, resource).remove(namespace, name);
  }

  #kind(group: string, resource: string): TestKind {
    const key = `${group}/${resource}`;
    const kind = this.#kinds.get(key) ?? new TestKind();
    this.#kinds.set(key, kind);
    return kind;
  }
}

class TestKind implements FollowedObjects {
  readonly informer = new ManualInformer<ApiObject>();
  isBehind = false;
  /** Why some cannot be read, whatever namespace is asked about. */
  lack: Error | undefined;

  unreadable(): Error | undefined {
    return this.lack;
  }

  get(namespace: string, name: string): ApiObject | undefined {
    return this.informer.get(keyOf(namespace, name));
  }

  in(namespace: string): Iterable<ApiObject> {
    return [...this.all()].filter(({ metadata }) => (metadata?.namespace ?? '') === namespace);
  }

  all(): Iterable<ApiObject> {
    return this.informer.list();
  }

  onChange(listener: (changed: ReadonlySet<string>) => void): () => void {
    return this.informer.onChange(listener);
  }

  put(object: ApiObject): void {
    this.informer.put(keyOf(object.metadata?.namespace, object.metadata?.name), object);
  }

  remove(namespace: string, name: string): void {
    this.informer.remove(keyOf(namespace, name));
  }
}

const keyOf = (namespace = '', name = ''): string => (namespace === '' ? name : `${namespace}/${name}`);
