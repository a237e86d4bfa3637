import { dnsLabelErrors, duplicate, type FieldError, invalidValue, type Names, required } from '@orch/machinery';
import type { Job } from '@orch/schema/types/batch/v1';
import { nonNegativeMembers } from '../rules/checks.js';
import { selectorMatches } from '../rules/label-selector.js';
import { each } from '../rules/lists.js';
import { shownMap, shownSelector } from '../values/go-syntax.js';

const METADATA = 'spec.template.metadata';

/** Checks a new Job beside its spec: its pods carry its name and uid, and can have the names that they get. */
export const validateIdentity = (job: Job, names: Names, old?: Job): FieldError[] => [
  ...validateGenerated(job, names, old),
  ...validatePodNames(job),
];

/**
 * Checks the generated labels and selector that identify a Job's pods, unless the author selects manually. A Job stored
 * before these labels had the product's domain need not have them.
 */
function validateGenerated({ metadata, spec }: Job, names: Names, old?: Job): FieldError[] {
  const selector = spec?.selector;
  if (spec?.manualSelector === true || !selector) return [];
  const [uid, name] = [metadata?.uid ?? '', metadata?.name ?? ''];
  const named = { [names.key('batch.orch.io/controller-uid')]: uid, [names.key('batch.orch.io/job-name')]: name };
  const before = old?.spec?.template?.metadata?.labels ?? {};
  const wantsNamed = !old || Object.keys(named).every((key) => before[key] !== undefined);
  const expected = { 'controller-uid': uid, 'job-name': name, ...(wantsNamed && named) };
  const labels = spec?.template?.metadata?.labels ?? {};
  const errors = Object.entries(expected).flatMap(([key, value]) => validateLabel(labels, key, value));
  if (selectorMatches(selector, expected) !== false) return errors;
  return [...errors, invalidValue('spec.selector', shownSelector(selector), '`selector` not auto-generated')];
}

function validateLabel(labels: Readonly<Record<string, string>>, key: string, expected: string): FieldError[] {
  const actual = labels[key];
  if (actual === undefined) return [required(`${METADATA}.labels[${key}]`, `must be '${expected}'`)];
  if (actual === expected) return [];
  return [invalidValue(`${METADATA}.labels[${key}]`, shownMap(labels), `must be '${expected}'`)];
}

/** Pods of an indexed Job are called by its name and their index. */
function validatePodNames({ metadata, spec }: Job): FieldError[] {
  const completions = spec?.completions ?? 0;
  if (spec?.completionMode !== 'Indexed' || completions <= 0) return [];
  const name = metadata?.name ?? '';
  const last = `${name}-${completions - 1}`;
  if (dnsLabelErrors(last).length === 0) return [];
  return [invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)];
}

/** Checks what the controller reports of a Job. */
export function validateJobStatus({ status }: Job): FieldError[] {
  const seen = new Set<string>();
  return [
    ...nonNegativeMembers(status, 'status', ['active', 'succeeded', 'failed', 'ready']),
    ...(['succeeded', 'failed'] as const).flatMap((list) =>
      each(status?.uncountedTerminatedPods?.[list] ?? [], `status.uncountedTerminatedPods.${list}`, (uid, field) => {
        if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
        if (seen.has(uid)) return [duplicate(field, uid)];
        seen.add(uid);
        return [];
      }),
    ),
  ];
}
