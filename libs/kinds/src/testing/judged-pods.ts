import {
  type ApiObject,
  copy,
  dnsLabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  labelValueErrors,
  namesOf,
  qualifiedNameErrors,
} from '@orch/machinery';
import { alignZeros, applyDefaults, loadScheme } from '@orch/schema';
import { kindRules } from '../registry/registry.js';
import { type Changes, setMembers } from './refusals.js';
import { through } from './through.js';

export type { Changes } from './refusals.js';

const names = namesOf('kubernetes');
const definition = loadScheme(names).resource('', 'v1', 'pods');
if (!definition) throw new Error('no pods');
const { schema } = definition;
const rules = kindRules(definition, names);

/** What is said of names that have no form at all. */
export const [LABEL_FORM = ''] = dnsLabelErrors('A');
export const [SUBDOMAIN_FORM = ''] = dnsSubdomainErrors('A');
export const [KEY_FORM = ''] = qualifiedNameErrors('a b');
export const [VALUE_FORM = ''] = labelValueErrors('a b');

const OPENINGS: Readonly<Record<FieldError['reason'], string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value: ',
  FieldValueNotSupported: 'Unsupported value: ',
  FieldValueDuplicate: 'Duplicate value: ',
  FieldValueForbidden: 'Forbidden: ',
  FieldValueTooLong: 'Too long: ',
  FieldValueTooMany: 'Too many: ',
  FieldValueTypeInvalid: 'Invalid value: ',
  InternalError: 'Internal error: ',
  FieldValueNotFound: 'Not found: ',
};

function reported({ reason, field, message }: FieldError): string {
  if (!message.startsWith(OPENINGS[reason])) throw new Error(`${reason} is told as ${message}`);
  return `${field}: ${message}`;
}

function change(object: ApiObject, changes: Changes): ApiObject {
  const whole = copy(object);
  setMembers(whole, changes);
  return whole;
}

const PLAIN: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
};

function defaulted(object: ApiObject): ApiObject {
  applyDefaults(schema, object);
  rules.defaults(object);
  return object;
}

/** A plain pod with changes as it would be stored. */
export function newPod(changes: Changes): ApiObject {
  const pod = defaulted(change(PLAIN, changes));
  rules.prepareForCreate(pod, through());
  return pod;
}

/** What is said of a new pod: a plain one with changes. */
export const refusals = (changes: Changes): string[] => [...rules.validateCreate(newPod(changes))].flat().map(reported);

/** What is said of an update of a stored pod, a plain one with changes, by further changes. */
export function stepRefusals(subresource: string, before: Changes, after: Changes): string[] {
  const [old, object] = steps(subresource, before, after);
  return [...rules.validateUpdate(object, old, subresource)].flat().map(reported);
}

/** The stored pod and the one that it becomes. */
export function steps(subresource: string, before: Changes, after: Changes): [ApiObject, ApiObject] {
  const sent = change(PLAIN, before);
  const old = defaulted(copy(sent));
  const object = defaulted(change(sent, after));
  alignZeros(schema, object, old);
  rules.prepareForUpdate(object, old, through(subresource));
  return [old, object];
}
