import { type ApiObject, type FieldError, invalidValue, parseUrl, required } from '@orch/machinery';
import { textAt } from '../values/fields.js';

const KEY = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${KEY}]`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const PROTECTED = /(^|\.)(k8s|kubernetes)\.io$/;

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

function stateOf({ metadata }: ApiObject): State {
  const note = metadata?.annotations?.[KEY] ?? '';
  if (note === '') return 'missing';
  if (note.startsWith('unapproved')) return 'bypassed';
  const url = parseUrl(note);
  return typeof url !== 'string' && url.host !== '' && url.scheme !== '' ? 'approved' : 'invalid';
}

/** Definitions in groups of the Kubernetes project say who agreed to them. What was missing before may stay missing. */
export function validateApproval(object: ApiObject, old?: ApiObject): FieldError[] {
  if (!PROTECTED.test(textAt(object, 'spec', 'group'))) return [];
  const state = stateOf(object);
  if (old && stateOf(old) === state) return [];
  const asked = `protected groups must have approval annotation "${KEY}"`;
  if (state === 'missing') return [required(FIELD, `${asked}, ${SEE}`)];
  if (state !== 'invalid') return [];
  const text = `${asked} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return [invalidValue(FIELD, object.metadata?.annotations?.[KEY] ?? '', text)];
}
