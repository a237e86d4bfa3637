import type { Operation } from '@orch/admission';
import { type ApiObject, conflict, copy, STALE_WRITE } from '@orch/machinery';
import { lengthSoFar, type Stored } from '@orch/resources';
import { turnFor } from '@orch/runtime/work';
import type { Draft, StageTools } from '../stages/draft.js';
import { namedVersion } from '../stages/object-checks.js';
import { isRemoved } from '../stages/quota.js';
import { STAGES } from '../stages/stages.js';
import { type KeepingTools, keeping } from './keeping.js';
import type { WritePlan } from './planned-write.js';
import { removal } from './removal.js';
import type { RequestedWrite } from './requested-write.js';
import { answered, liveObject, readable } from './staged-versions.js';
import { type Creation, UNWRITTEN, type UpdateFunction, type WriteRequest, type YieldPoint } from './write-request.js';

/** Dependencies of planning a write. */
export interface PlanTools extends StageTools, KeepingTools {}

/**
 * Plans a write: applies the change to a base, runs the stages, and allocates values. Writes no object, and a dry run
 * allocates nothing either.
 * @param write the requested write
 * @param base as read, or with the version {@link UNWRITTEN} the result of another plan; undefined where there is no
 * object
 * @throws StatusError 400, 403, 409, 413, 422 and what the change and admission throw
 */
export async function planWrite(write: RequestedWrite, base: Stored | undefined, tools: PlanTools): Promise<WritePlan> {
  const draft = await begin(write, base);
  for (const stage of STAGES[draft.operation]) {
    const wait = stage(draft, tools) ?? draft.turn();
    if (wait) await wait;
  }
  const plan = base && isRemoved(draft) ? await removal(draft, base, tools) : await keeping(draft, tools);
  return write.request.endpoint.stage ? answered(draft, plan) : plan;
}

/** Yields between steps of work, depending on the sizes of the request and the stored object. */
const turnsOf =
  ({ hints, endpoint: { form } }: WriteRequest, base: Stored | undefined): YieldPoint =>
  () =>
    turnFor((hints?.bytes ?? 0) + (base ? lengthSoFar(base, form) : 0));

/** The change itself. */
async function begin(write: RequestedWrite, base: Stored | undefined): Promise<Draft> {
  const {
    request,
    make: { change, create },
  } = write;
  const operation: Operation = base ? request.operation : 'CREATE';
  const plugins = write.plugins(operation);
  const turn = turnsOf(request, base);
  // Many that were waiting for one reading of the database go on at the same time.
  const wait = turn();
  if (wait) await wait;
  const reading = base && readable(request, base, plugins);
  const storedServed = reading instanceof Promise ? await reading : reading;
  const live = base && storedServed && liveObject(request, base, storedServed);
  await turn();
  const own = live && workingCopy(request, live);
  await turn();
  const wasTerminating = own?.metadata?.deletionTimestamp !== undefined;
  const made = own && storedServed ? (change as UpdateFunction)(own, turn, storedServed) : (create as Creation)();
  const wantedServed = made instanceof Promise ? await made : made;
  await turn();
  if (base && operation === 'UPDATE') checkVersion(request, wantedServed, base);
  const before = operation === 'UPDATE' ? live : undefined;
  const views = { stored: base, storedServed, before, wantedServed, wanted: wantedServed };
  const unset = { owners: [], admitted: false, account: undefined, charging: undefined };
  return { request, operation, ...views, wasTerminating, plugins, ...unset, turn };
}

/**
 * Returns the object for a change to work on. A deletion marks the live object itself: only plugins need its state
 * before.
 */
function workingCopy({ endpoint, operation, changeKind }: WriteRequest, live: ApiObject): ApiObject {
  if (operation === 'DELETE' || changeKind === 'replace') return live;
  const own = copy(live);
  return endpoint.conversion ? endpoint.conversion.toServed(own) : own;
}

/** Refuses an object that names another version than that of the base. @throws StatusError 409 */
function checkVersion({ endpoint, key }: WriteRequest, served: ApiObject, { version }: Stored): void {
  const named = namedVersion(served);
  if (named === '' || (version !== UNWRITTEN && named === String(version))) return;
  throw conflict(endpoint.groupResource, key.name, STALE_WRITE);
}
