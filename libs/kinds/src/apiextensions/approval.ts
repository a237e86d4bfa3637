import { type FieldError, invalidValue, parseUrl, required } from '@orch/machinery';
import type { CustomResourceDefinition } from '@orch/schema/types/apiextensions/v1';
import type { DefinitionCondition } from '../custom/accepted-names.js';

const KEY = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${KEY}]`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const ASKED = `protected groups must have approval annotation "${KEY}"`;
const FORM = 'with either a URL or a reason starting with "unapproved"';
const PROTECTED = /(^|\.)(k8s|kubernetes)\.io$/;

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

function stateOf({ metadata }: CustomResourceDefinition): State {
  const note = metadata?.annotations?.[KEY] ?? '';
  if (note === '') return 'missing';
  if (note.startsWith('unapproved')) return 'bypassed';
  const url = parseUrl(note);
  return typeof url !== 'string' && url.host !== '' && url.scheme !== '' ? 'approved' : 'invalid';
}

/** Returns the condition on the approval of a definition in a protected group; undefined for other groups. */
export function approvalOf(definition: object): DefinitionCondition | undefined {
  const object: CustomResourceDefinition = definition;
  if (!PROTECTED.test(object.spec?.group ?? '')) return undefined;
  const note = object.metadata?.annotations?.[KEY] ?? '';
  const reasons: Readonly<Record<State, readonly [reason: string, message: string]>> = {
    approved: ['ApprovedAnnotation', `approved in ${note}`],
    bypassed: ['UnapprovedAnnotation', `not approved: ${JSON.stringify(note)}`],
    missing: ['MissingAnnotation', `${ASKED}, ${SEE}`],
    invalid: ['InvalidAnnotation', `${ASKED} ${FORM}, ${SEE}`],
  };
  const state = stateOf(object);
  const [reason, message] = reasons[state];
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason,
    message,
  };
}

/**
 * Requires definitions in groups of the Kubernetes project to name their approval. It may stay missing if it was
 * before.
 */
export function validateApproval(object: CustomResourceDefinition, old?: CustomResourceDefinition): FieldError[] {
  if (!PROTECTED.test(object.spec?.group ?? '')) return [];
  const state = stateOf(object);
  if (old && stateOf(old) === state) return [];
  if (state === 'missing') return [required(FIELD, `${ASKED}, ${SEE}`)];
  if (state !== 'invalid') return [];
  return [invalidValue(FIELD, object.metadata?.annotations?.[KEY] ?? '', `${ASKED} ${FORM}, ${SEE}`)];
}
