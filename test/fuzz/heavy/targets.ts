import { CORE, filled, type HeavyRequest, MAX_VALUES, ROOM_VALUES, typed } from './heavy-request.js';

const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';

const create = (
  path: string,
  head: string,
  piece: (index: number) => string,
  tail: string,
  count = Number.POSITIVE_INFINITY,
): HeavyRequest => ({
  name: `create: ${path}`,
  method: 'POST',
  path,
  headers: { 'Content-Type': 'application/json' },
  body: () => filled(head, piece, tail, { count }),
});

/** Room for a patch that nests as deep as it may. */
const NESTED_VALUES = 1_000;
export const revision = create(
  REVISIONS,
  `{${typed('apps/v1', 'ControllerRevision', 'patched')},"revision":1,"data":{"l":[`,
  () => '0',
  ']}}',
  MAX_VALUES - NESTED_VALUES - ROOM_VALUES,
);
/** Containers of the pod. */
export const CONTAINERS = 6_000;
export const podOf = create(
  `${CORE}/pods`,
  `{${typed('v1', 'Pod', 'patched')},"spec":{"containers":[`,
  (i) => `{"name":"c${i}","image":"i"}`,
  ']}}',
  CONTAINERS,
);
export const environment = create(
  `${CORE}/pods`,
  `{${typed('v1', 'Pod', 'environment')},"spec":{"containers":[{"name":"c","image":"i","env":[`,
  (i) => `{"name":"E${i}"}`,
  ']}]}}',
  3_000,
);
export const map = create(
  `${CORE}/configmaps`,
  `{${typed('v1', 'ConfigMap', 'patched')},"data":{`,
  (i) => `"k${i}":""`,
  '}}',
  MAX_VALUES - ROOM_VALUES,
);
export const half = create(
  `${CORE}/configmaps`,
  `{${typed('v1', 'ConfigMap', 'half')},"data":{`,
  (i) => `"k${i}":""`,
  '}}',
  MAX_VALUES / 2 - ROOM_VALUES,
);
export const secret = create(
  `${CORE}/secrets`,
  `{${typed('v1', 'Secret', 'patched')},"data":{`,
  (i) => `"k${i}":""`,
  '}}',
  MAX_VALUES - ROOM_VALUES,
);
export const annotated = create(
  `${CORE}/configmaps`,
  '{"metadata":{"name":"annotated","annotations":{',
  (i) => `"k${i.toString(36)}":""`,
  '}}}',
  MAX_VALUES - ROOM_VALUES,
);
export const finalized = create(
  `${CORE}/configmaps`,
  '{"metadata":{"name":"finalized","finalizers":[',
  (i) => `"a/f${i}"`,
  ']}}',
);
export const halfFinalized = create(
  `${CORE}/configmaps`,
  '{"metadata":{"name":"half-finalized","finalizers":[',
  (i) => `"a/f${i}"`,
  ']}}',
  MAX_VALUES / 2 - ROOM_VALUES,
);

/** Objects of many values, one after another: the last of them comes with all the others. */
function several(count: number): HeavyRequest {
  let last: HeavyRequest | undefined;
  for (let at = 0; at < count; at++) {
    const head = `{${typed('apps/v1', 'ControllerRevision', `several-${at}`)},"revision":1,"data":{`;
    const next = create(REVISIONS, head, (i) => `"k${i}":""`, '}}', MAX_VALUES - ROOM_VALUES);
    last = { ...next, name: `${next.name}, ${at}`, ...(last && { before: last }) };
  }
  return last as HeavyRequest;
}
/** A collection so large that work on all its objects in one step would take long. */
export const collection = several(12);
