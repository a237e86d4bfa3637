import { isDeepStrictEqual } from 'node:util';
import { isTerminating } from '@orch/admission';
import { type Controller, type ControllerSource, informerSource, RequeueError } from '@orch/controllers';
import { type ApiObject, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { SharedInformer } from '@orch/runtime/informers';
import { UnreadableBodyError } from '@orch/storage';
import type { ControllerClient } from '@orch/writing';

/** An object that every namespace has. */
interface DefaultObject {
  /** Endpoint in the storage version. */
  readonly endpoint: Endpoint;
  readonly name: string;
  /** Content beside its metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Cached objects of its kind; those of other names may be missing. */
  readonly informer: Pick<SharedInformer<ApiObject | undefined>, 'get' | 'onChange'>;
}

/** Dependencies of a controller of default objects. */
interface DefaultObjectsOptions {
  /** Name of the controller. */
  readonly name: string;
  readonly object: DefaultObject;
  /** All namespaces, in the cache. */
  readonly namespaces: SharedInformer<ApiObject>;
  readonly client: Pick<ControllerClient, 'create' | 'update'>;
}

/**
 * Returns a controller that creates an object in every namespace that is not being deleted, recreates it after a
 * deletion, and corrects its content.
 */
export function defaultObjects({ name, object, namespaces, client }: DefaultObjectsOptions): Controller {
  return {
    name,
    sources: [informerSource(namespaces), namespacesOf(object)],
    async reconcile(namespace) {
      const found = namespaces.get(namespace);
      if (!found || found.metadata?.deletionTimestamp !== undefined || isRight(object, namespace)) return undefined;
      await write(object, namespace, client).catch(ignoreOvertaken);
      return undefined;
    },
  };
}

/** Wakes the controller with the namespace of a changed object. The keys are those of the namespaces. */
function namespacesOf({ name, informer }: DefaultObject): ControllerSource {
  const end = `/${name}`;
  return {
    subscribe: (enqueue) =>
      informer.onChange((changed) => {
        for (const key of changed) if (key.endsWith(end)) enqueue(key.slice(0, -end.length));
      }),
    keys: () => [],
  };
}

async function write(
  { endpoint, name, content, informer }: DefaultObject,
  namespace: string,
  client: DefaultObjectsOptions['client'],
): Promise<void> {
  const key = { namespace, name };
  if (informer.get(`${namespace}/${name}`))
    await client.update({ endpoint, key }, (current) => ({ ...current, ...structuredClone(content) }));
  else await client.create(endpoint, { metadata: { ...key }, ...structuredClone(content) });
}

/**
 * Ignores failures that a later event resolves. If the namespace is being deleted, its end wakes the controller. A
 * missing namespace, or an object that was created or deleted meanwhile, is also followed by an event, but the error
 * may come from a webhook, so that the work is queued again. An unreadable object is reported by the informer.
 */
function ignoreOvertaken(error: unknown): void {
  if (error instanceof UnreadableBodyError) return;
  if (!(error instanceof StatusError)) throw error;
  if (isTerminating(error)) return;
  const isOvertaken = error.code === 404 || error.status.reason === 'AlreadyExists';
  throw isOvertaken ? new RequeueError(error.message) : error;
}

function isRight({ informer, name, content }: DefaultObject, namespace: string): boolean {
  const found: ApiObject | undefined = informer.get(`${namespace}/${name}`);
  return found !== undefined && Object.keys(content).every((key) => isDeepStrictEqual(found[key], content[key]));
}
