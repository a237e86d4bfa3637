import { type FieldError, invalidValue, notSupported, required } from '@orch/machinery';
import type { Job, JobSpec } from '@orch/schema/types/batch/v1';
import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import { validateSelected } from '../apps/workload-validation.js';
import type { PodContext } from '../pods/pod-context.js';
import { validateTemplate } from '../pods/template-validation.js';
import { isOneOf, nonNegativeMembers } from '../rules/checks.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { equal } from '../values/equal.js';
import type { Json, NameOf } from '../values/fields.js';
import { shownSelector } from '../values/go-syntax.js';
import { validateFailurePolicy } from './failure-policy-validation.js';

const COUNTS: readonly NameOf<JobSpec>[] = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
];
const MODES = ['NonIndexed', 'Indexed'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
const MAX_INDEXED_PARALLELISM = 100_000;

/** Checks the spec of a Job; `path` is its place, also in the template of a CronJob. */
export const validateJobSpec = (spec: JobSpec | undefined, path: string, context: PodContext): FieldError[] => [
  ...nonNegativeMembers(spec, path, COUNTS),
  ...validateCompletionMode(spec, path),
  ...validateFailurePolicy(spec?.podFailurePolicy, spec?.template, `${path}.podFailurePolicy`),
  ...validateTemplate(spec?.template, `${path}.template`, context),
  ...validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`),
];

function validateCompletionMode(spec: JobSpec | undefined, path: string): FieldError[] {
  const mode = spec?.completionMode;
  const errors = isOneOf(`${path}.completionMode`, mode, MODES);
  if (mode !== 'Indexed') return errors;
  if (spec?.completions === undefined) {
    errors.push(required(`${path}.completions`, 'when completion mode is Indexed'));
  }
  const parallelism = spec?.parallelism ?? 0;
  if (parallelism > MAX_INDEXED_PARALLELISM) {
    const text = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
    errors.push(invalidValue(`${path}.parallelism`, parallelism, text));
  }
  return errors;
}

/** A Job ends, so its pods may not run for ever. */
function validateRestartPolicy(spec: JobSpec | undefined, field: string): FieldError[] {
  const policy = spec?.template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (!RESTART_POLICIES.includes(policy)) return [notSupported(field, policy, RESTART_POLICIES)];
  if (!spec?.podFailurePolicy || policy === 'Never') return [];
  return [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** A Job of its own, whose selector is there by now. */
export function validateJob(spec: JobSpec | undefined, context: PodContext): FieldError[] {
  const selector = spec?.selector;
  return [
    ...validateJobSpec(spec, 'spec', context),
    ...(selector ? validateLabelSelector(selector, 'spec.selector') : [required('spec.selector')]),
    ...validateSelected(spec),
  ];
}

/** Refuses changes of the immutable fields of a Job. `elastic`: an indexed Job may grow and shrink. */
export function validateJobUpdate(object: Job, old: Job, elastic: boolean): FieldError[] {
  const [spec, before] = [object.spec, old.spec];
  const immutable = (name: NameOf<JobSpec>, shown: unknown = spec?.[name]) =>
    equal(spec?.[name], before?.[name]) ? [] : [invalidValue(`spec.${name}`, shown, 'field is immutable')];
  return [
    ...validateCompletions(spec, before, elastic),
    ...immutable('selector', shownSelector(spec?.selector)),
    ...validateTemplateUpdate(object, old),
    ...immutable('completionMode'),
    ...immutable('podFailurePolicy'),
  ];
}

/** The number of completions of an indexed Job may follow its parallelism. */
function validateCompletions(spec: JobSpec | undefined, before: JobSpec | undefined, elastic: boolean): FieldError[] {
  if (equal(spec?.completions, before?.completions)) return [];
  if (spec?.completionMode !== 'Indexed' || !elastic)
    return [invalidValue('spec.completions', spec?.completions, 'field is immutable')];
  if (spec?.completions === undefined || spec?.completions === spec?.parallelism) return [];
  const text = 'can only be modified in tandem with spec.parallelism';
  return [invalidValue('spec.completions', spec?.completions, text)];
}

/** Refuses changes of the template, but for scheduling directives of a Job that was suspended before it began. */
function validateTemplateUpdate(object: Job, old: Job): FieldError[] {
  const waiting = old.spec?.suspend === true && old.status?.startTime === undefined;
  const [template, before] = [object, old].map((job) => job.spec?.template);
  const fixed = waiting ? [withoutDirectives(template), withoutDirectives(before)] : [template, before];
  return equal(fixed[0], fixed[1]) ? [] : [invalidValue('spec.template', template, 'field is immutable')];
}

function withoutDirectives(template: PodTemplateSpec | undefined): Json {
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _g, affinity, ...spec } = template?.spec ?? {};
  const { nodeAffinity: _a, ...others } = affinity ?? {};
  const { labels: _l, annotations: _an, ...metadata } = template?.metadata ?? {};
  return { metadata, spec: { ...spec, affinity: others } };
}
