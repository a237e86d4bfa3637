import { notFound } from '@orch/machinery';
import { listOptions, selectionOf } from '@orch/reading';
import { type Endpoint, type Stored, toStoredBody } from '@orch/resources';
import { type RequestContext, type ResourceCall, sendObject, sendPieces } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import type { ComponentCheck } from './component.js';

/** A check that takes longer counts as failed, milliseconds. */
const PATIENCE_MS = 5_000;

/** GET of one component. */
export async function getComponent(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, name } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
  const component = deps.components.find((each) => each.name === name);
  if (!component) throw notFound(endpoint.groupResource, name);
  await sendObject(ctx, 200, representation, await statusOf(endpoint, component));
}

/** Handles GET of all components, whose health is checked at the same time. */
export async function listComponents(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint } = call;
  listOptions(ctx.query, { kind: 'ListOptions', group: deps.names.metaGroup }, deps.chunking);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'list');
  const selection = selectionOf(ctx.query, endpoint, '');
  const wanted = deps.components.filter(({ name }) => {
    const fields = { 'metadata.name': name, 'metadata.namespace': '' };
    return selection?.matches({ labels: {}, fields }) ?? true;
  });
  const statuses = await Promise.all(wanted.map((component) => statusOf(endpoint, component)));
  const page = async function* () {
    yield statuses;
  };
  await sendPieces(ctx, representation.contentType, representation.list({}, page()), false);
}

/** Builds the ComponentStatus of a component, in the form of a stored object. */
async function statusOf(endpoint: Endpoint, component: ComponentCheck): Promise<Stored> {
  const problem = await problemOf(component);
  const condition =
    problem === undefined
      ? { type: 'Healthy', status: 'True', message: 'ok' }
      : { type: 'Healthy', status: 'False', error: problem };
  const metadata = { name: component.name, creationTimestamp: null };
  const body = toStoredBody({ metadata, conditions: [condition] }, endpoint);
  return { version: 0n, storedVersion: endpoint.form.version, defaults: endpoint.form.defaults, body };
}

/** Why a component is not well; undefined where it is. */
async function problemOf({ check }: ComponentCheck): Promise<string | undefined> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const late = new Promise<never>((_resolve, reject) => {
    patience.onabort = () => reject(new Error(`no answer within ${PATIENCE_MS} ms`));
  });
  try {
    await Promise.race([check(), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
