import {
  type Admission,
  type Attributes,
  admit,
  type OperationOptions,
  Reinvocation,
  type Target,
  validate,
} from '@orch/admission';
import { type ApiObject, copy } from '@orch/machinery';
import type { ObjectModel } from '@orch/resources';
import { inSlices } from '@orch/runtime/work';
import { authorizerOf, type Caller } from '../pipeline/caller.js';

/** An object that is not stored itself but asks for an action or an answer: a Binding, an Eviction, a review. */
export interface SentAction {
  /** With defaults, in the namespace of the request. */
  readonly object: ApiObject;
  /** Options of the request. */
  readonly options: OperationOptions;
  /** Schema of the object. */
  readonly model: ObjectModel;
}

/** Resource that such an object is sent to, and what is done with it. */
export type ActionTarget = Omit<Target, 'kind'>;

/**
 * Runs admission for a sent object.
 * @param settle validates the object as mutating plugins have left it, and returns the outcome; validating plugins run
 * after it
 * @throws StatusError of the plugin that refuses, and whatever `settle` throws
 */
export async function admitAction<T>(
  admission: Admission,
  caller: Caller,
  target: ActionTarget,
  sent: SentAction,
  settle: (object: ApiObject) => T | Promise<T>,
): Promise<T> {
  const { object } = sent;
  const named: Target = { ...target, kind: object.kind ?? '' };
  const plugins = admission.select(() => named);
  const reinvocation = new Reinvocation();
  const attributes = attributesOf(caller, named, sent, reinvocation);
  if (plugins.mutating.length > 0) await admit(plugins, attributes, reinvocation);
  const settled = await settle(object);
  if (plugins.validating.length > 0)
    await validate(plugins, { ...attributes, object: plugins.readOnly ? object : copy(object) });
  return settled;
}

function attributesOf(
  caller: Caller,
  target: Target,
  { object, options, model }: SentAction,
  reinvocation: Reinvocation,
): Attributes {
  const { user, warnings, annotations, deadline } = caller;
  return {
    ...target,
    object,
    oldObject: undefined,
    options,
    user,
    authorizer: authorizerOf(caller),
    deadline,
    get isReinvocation() {
      return reinvocation.isReinvocation;
    },
    reinvoke: () => reinvocation.ask(),
    setDefaults: async () => void (await inSlices(model.fillDefaults(object))),
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => annotations.noteOnce(key, value),
    annotateBody: (key, text) => caller.noteBody?.(key, text()),
    ...(caller.skipsWebhooks && { skipsWebhooks: true }),
  };
}
