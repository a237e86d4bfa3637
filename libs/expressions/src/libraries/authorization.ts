import { dnsLabelErrors, dnsSubdomainErrors } from '@orch/machinery';
import { BOOL, type CelType, objectOf, STRING } from '../types/type.js';
import { Failure, failureOr, Opaque, type Value } from '../values/value.js';
import { type Implementation, type Library, methodForm } from './library.js';

/** Question of an expression to an authorizer. */
export type AccessQuestion = {
  /** Verb, such as `get`. */
  readonly verb: string;
  /** Service account to check; by default the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
} & (
  | { readonly path: string }
  | {
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
);

/** Answer of an authorizer. */
export interface AccessAnswer {
  /** Whether an authorizer allows it; no opinion is no. */
  readonly allowed: boolean;
  /** Reason; empty if there is none. */
  readonly reason: string;
}

/**
 * Answers questions of expressions about the user of the request, or about a service account; synchronously, as
 * expressions cannot wait. An exception fails the expression.
 */
export type ExpressionAuthorizer = (question: AccessQuestion) => AccessAnswer;

/** Parts of a question that are set so far. */
interface Asked {
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A question being built; its type's name shows the stage. */
class Question extends Opaque {
  constructor(
    override readonly typeName: string,
    readonly authorizer: ExpressionAuthorizer,
    readonly asked: Asked,
  ) {
    super();
  }

  override equals(other: Value): Failure {
    return failureOr(other);
  }

  /** Returns the question with an addition. */
  with(typeName: string, more: Asked): Question {
    return new Question(typeName, this.authorizer, { ...this.asked, ...more });
  }

  /** Asks the question and returns the answer. */
  check(verb: string): Value {
    const { path, serviceAccount, group = '', resource = '', subresource = '', namespace = '', name = '' } = this.asked;
    const subject = serviceAccount === undefined ? { verb } : { verb, serviceAccount };
    const object = path === undefined ? { group, resource, subresource, namespace, name } : { path };
    try {
      return new Decision(this.authorizer({ ...subject, ...object }));
    } catch (error) {
      return new Failure(`error in authorization check: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

class Decision extends Opaque {
  override readonly typeName = DECISION;

  constructor(readonly answer: AccessAnswer) {
    super();
  }

  override equals(other: Value): Failure {
    return failureOr(other);
  }
}

const PREFIX = 'kubernetes.authorization.';
const AUTHORIZER = `${PREFIX}Authorizer`;
const PATH_CHECK = `${PREFIX}PathCheck`;
const GROUP_CHECK = `${PREFIX}GroupCheck`;
const RESOURCE_CHECK = `${PREFIX}ResourceCheck`;
const DECISION = `${PREFIX}Decision`;

/** Type of the variable `authorizer`. */
export const AUTHORIZER_TYPE = objectOf(AUTHORIZER);
/** Type of the variable `authorizer.requestResource`. */
export const RESOURCE_CHECK_TYPE = objectOf(RESOURCE_CHECK);

/** Value of the variable `authorizer`. */
export const authorizerValue = (authorizer: ExpressionAuthorizer): Value => new Question(AUTHORIZER, authorizer, {});

/** Value of the variable `authorizer.requestResource`. */
export const resourceCheckValue = (
  authorizer: ExpressionAuthorizer,
  resource: Required<Pick<Asked, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>>,
): Value => new Question(RESOURCE_CHECK, authorizer, resource);

/** A method that adds to a question; `required` names the argument that must not be blank. */
function adding(
  id: string,
  types: readonly [from: string, to: string],
  add: (text: string) => Asked,
  required?: string,
): ReturnType<typeof methodForm> {
  const call: Implementation = (question, text) => {
    if (required !== undefined && (text as string).trim() === '') return new Failure(`${required} must not be empty`);
    return (question as Question).with(types[1], add(text as string));
  };
  return methodForm(id, [objectOf(types[0]), STRING], objectOf(types[1]), call);
}

const serviceAccount: Implementation = (question, namespace, name) => {
  if (dnsSubdomainErrors(name as string).length > 0) return new Failure('Invalid service account name');
  if (dnsLabelErrors(namespace as string).length > 0) return new Failure('Invalid service account namespace');
  const account = { namespace: namespace as string, name: name as string };
  return (question as Question).with(AUTHORIZER, { serviceAccount: account });
};

const checking = (id: string, from: string) =>
  methodForm(id, [objectOf(from), STRING], objectOf(DECISION), (question, verb) =>
    (question as Question).check(verb as string),
  );

const reading = (name: string, id: string, type: CelType, take: (answer: AccessAnswer) => Value) => ({
  name,
  forms: [methodForm(id, [objectOf(DECISION)], type, (decision) => take((decision as Decision).answer))],
});

/** Functions that check authorization. */
export const AUTHORIZATION_LIBRARY: Library = [
  { name: 'path', forms: [adding('authorizer_path', [AUTHORIZER, PATH_CHECK], (path) => ({ path }), 'path')] },
  { name: 'group', forms: [adding('authorizer_group', [AUTHORIZER, GROUP_CHECK], (group) => ({ group }))] },
  {
    name: 'serviceAccount',
    forms: [
      methodForm('authorizer_serviceaccount', [AUTHORIZER_TYPE, STRING, STRING], AUTHORIZER_TYPE, serviceAccount),
    ],
  },
  {
    name: 'resource',
    forms: [adding('groupcheck_resource', [GROUP_CHECK, RESOURCE_CHECK], (resource) => ({ resource }), 'resource')],
  },
  {
    name: 'subresource',
    forms: [adding('resourcecheck_subresource', [RESOURCE_CHECK, RESOURCE_CHECK], (subresource) => ({ subresource }))],
  },
  {
    name: 'namespace',
    forms: [adding('resourcecheck_namespace', [RESOURCE_CHECK, RESOURCE_CHECK], (namespace) => ({ namespace }))],
  },
  { name: 'name', forms: [adding('resourcecheck_name', [RESOURCE_CHECK, RESOURCE_CHECK], (name) => ({ name }))] },
  { name: 'check', forms: [checking('pathcheck_check', PATH_CHECK), checking('resourcecheck_check', RESOURCE_CHECK)] },
  reading('allowed', 'decision_allowed', BOOL, ({ allowed }) => allowed),
  reading('reason', 'decision_reason', STRING, ({ reason }) => reason),
];
