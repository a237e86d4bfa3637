import {
  type Admission,
  type Attributes,
  admit,
  type Operation,
  Reinvocation,
  type SelectedPlugins,
  type Target,
  validate,
} from '@orch/admission';
import { type ApiObject, copy } from '@orch/machinery';
import { servedObject } from '@orch/resources';
import { authorizerOf, isInternal } from '../pipeline/caller.js';
import type { WriteRequest } from '../pipeline/write-request.js';
import { defaults } from './defaults.js';
import type { Draft } from './draft.js';

/** Warnings of one request: more than these do not fit into the headers of an answer. */
const MOST_WARNINGS = 256;

/** The plugins that may change the object, or refuse it. */
export function mutatingAdmission(draft: Draft): void | Promise<void> {
  const { plugins } = draft;
  if (plugins.mutating.length === 0) return undefined;
  draft.admitted = true;
  // They may change entries in place; what `fieldsV1` of one holds is frozen.
  draft.owners = draft.owners.map((entry) => ({ ...entry }));
  const reinvocation = new Reinvocation();
  return admit(plugins, new DraftAttributes(draft, () => draft.wantedServed, reinvocation), reinvocation);
}

/** Runs the plugins that validate the object as it will be stored. */
export function validatingAdmission(draft: Draft): void | Promise<void> {
  const { plugins } = draft;
  if (plugins.validating.length === 0) return undefined;
  return validate(plugins, new DraftAttributes(draft, () => complete(draft), new Reinvocation()));
}

/** Selects the admission plugins for a request, by its effective operation. */
export const selectPlugins = (admission: Admission, request: WriteRequest, operation: Operation): SelectedPlugins =>
  admission.select(() => targetOf(request, operation));

function targetOf({ endpoint, key, subresource }: WriteRequest, operation: Operation): Target {
  const { group, version, resource, kind } = endpoint.definition;
  const isNamespace = group === '' && resource === 'namespaces';
  const namespace = isNamespace ? key.name : key.namespace;
  return { operation, group, version, resource, kind, subresource, namespace, name: key.name };
}

/** Returns the object in the version of the request; the object to be stored itself, where no plugin changes it. */
function complete({ request: { endpoint }, plugins, wanted }: Draft): ApiObject {
  const own = plugins.readOnly ? wanted : copy(wanted);
  return endpoint.conversion ? endpoint.conversion.toServed(own) : own;
}

/** A draft as plugins see it. Objects are made on first use. */
class DraftAttributes implements Attributes {
  readonly operation: Attributes['operation'];
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly #draft: Draft;
  readonly #make: () => ApiObject;
  #object: ApiObject | undefined;
  #oldObject: ApiObject | undefined;

  constructor(
    draft: Draft,
    make: () => ApiObject,
    private readonly reinvocation: Reinvocation,
  ) {
    const target = targetOf(draft.request, draft.operation);
    this.operation = target.operation;
    this.group = target.group;
    this.version = target.version;
    this.resource = target.resource;
    this.kind = target.kind;
    this.subresource = target.subresource;
    this.namespace = target.namespace;
    this.name = target.name || (draft.wantedServed.metadata?.name ?? '');
    this.#draft = draft;
    this.#make = make;
  }

  get object(): ApiObject | undefined {
    if (this.operation === 'DELETE') return undefined;
    this.#object ??= this.#make();
    return this.#object;
  }

  get oldObject(): ApiObject | undefined {
    const { storedServed, request } = this.#draft;
    if (storedServed) this.#oldObject ??= servedObject(request.endpoint, storedServed);
    return this.#oldObject;
  }

  get options() {
    return this.#draft.request.options;
  }

  get user() {
    return this.#draft.request.caller.user;
  }

  get authorizer() {
    return authorizerOf(this.#draft.request.caller);
  }

  get deadline(): number {
    return this.#draft.request.caller.deadline;
  }

  get isReinvocation(): boolean {
    return this.reinvocation.isReinvocation;
  }

  reinvoke(): void {
    this.reinvocation.ask();
  }

  setDefaults(): void | Promise<void> {
    // A deleted object gets no defaults.
    if (this.operation !== 'DELETE') return defaults(this.#draft);
  }

  warn(text: string): void {
    const { warnings } = this.#draft.request.caller;
    // A retried write produces the same warnings again.
    if (warnings.length < MOST_WARNINGS && !warnings.includes(text)) warnings.push(text);
  }

  annotate(key: string, value: string): void {
    this.#draft.request.caller.annotations.noteOnce(key, value);
  }

  annotateBody(key: string, text: () => string): void {
    const { caller } = this.#draft.request;
    caller.noteBody?.(key, text());
  }

  get isInternal(): boolean {
    return isInternal(this.#draft.request.caller);
  }

  get skipsWebhooks(): boolean {
    return this.#draft.request.caller.skipsWebhooks === true;
  }
}
