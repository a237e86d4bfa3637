import { type FieldError, invalidValue, notSupported, required } from '@orch/machinery';
import type { CronJobSpec, JobSpec } from '@orch/schema/types/batch/v1';
import type { PodContext } from '../pods/pod-context.js';
import { nonNegativeMembers, oneOf } from '../rules/checks.js';
import { shownSelector } from '../values/go-syntax.js';
import { isTimeZone, scheduleError } from './cron-schedule.js';
import { validateJobSpec } from './job-validation.js';

const CONCURRENCY = ['Allow', 'Forbid', 'Replace'];
/** Names of Jobs are those of their CronJob and eleven characters more. */
const MAX_NAME = 52;
const ZONE_PART = /^[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}$/;

/** Checks the spec of a CronJob; a stored time zone is not checked again. */
export const validateCronJob = (
  spec: CronJobSpec | undefined,
  old: CronJobSpec | undefined,
  context: PodContext,
): FieldError[] => [
  ...validateSchedule(spec),
  ...nonNegativeMembers(spec, 'spec', ['startingDeadlineSeconds']),
  ...(old?.timeZone === spec?.timeZone ? [] : validateTimeZone(spec?.timeZone)),
  ...oneOf('spec.concurrencyPolicy', spec?.concurrencyPolicy, CONCURRENCY),
  ...validateJobTemplate(spec?.jobTemplate?.spec, 'spec.jobTemplate.spec', context),
  ...nonNegativeMembers(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
];

/** Checks the length of the name, which leaves room for the suffix of its Jobs. */
export const validateCronJobName = (name: string): FieldError[] =>
  name.length <= MAX_NAME ? [] : [invalidValue('metadata.name', name, `must be no more than ${MAX_NAME} characters`)];

function validateSchedule(spec: CronJobSpec | undefined): FieldError[] {
  const schedule = spec?.schedule ?? '';
  if (schedule === '') return [required('spec.schedule')];
  const wrong = scheduleError(schedule);
  const errors = wrong === undefined ? [] : [invalidValue('spec.schedule', schedule, wrong)];
  if (schedule.includes('TZ') && typeof spec?.timeZone === 'string') {
    const text = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
    errors.push(invalidValue('spec.schedule', schedule, text));
  }
  return errors;
}

function validateTimeZone(zone: string | undefined): FieldError[] {
  if (typeof zone !== 'string') return [];
  const refuse = (text: string) => [invalidValue('spec.timeZone', zone, text)];
  if (zone === '') return refuse('timeZone must be nil or non-empty string');
  const parts = zone.split('/');
  if (parts.some((part) => part === '.' || part === '..' || !ZONE_PART.test(part))) {
    return refuse(`unknown time zone ${zone}`);
  }
  if (zone.toLowerCase() === 'local') {
    return refuse('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  }
  return isTimeZone(zone) ? [] : refuse(`unknown time zone ${zone}`);
}

/** The selectors of its Jobs are made for each of them. */
function validateJobTemplate(spec: JobSpec | undefined, path: string, context: PodContext): FieldError[] {
  const selector = spec?.selector;
  const errors = validateJobSpec(spec, path, context);
  if (selector) {
    errors.push(invalidValue(`${path}.selector`, shownSelector(selector), '`selector` will be auto-generated'));
  }
  if (spec?.manualSelector === true) {
    errors.push(notSupported(`${path}.manualSelector`, true, ['nil', 'false']));
  }
  return errors;
}
