import type { CronJob } from '@orch/schema/types/batch/v1';
import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import { POD_FIELDS } from '../pods/gated-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { gatedWithin } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { age, timeOf } from '../values/age.js';
import { containersOf, formatSelector, NONE, optionalBool } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';
import { validateCronJob, validateCronJobName } from './cron-job-validation.js';

const TEMPLATE = 'spec.jobTemplate.spec.template';
const templateOf = ({ spec }: CronJob): PodTemplateSpec | undefined => spec?.jobTemplate?.spec?.template;

const ofWorkload = workloadWarnings<CronJob>(TEMPLATE, templateOf);
const DESCRIBED = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/';

/** The field is called as clients know it from messages. */
const zoneWarnings = (object: CronJob): string[] =>
  (object.spec?.schedule ?? '').includes('TZ')
    ? [`CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see ${DESCRIBED} for more details`]
    : [];

/** Rules of CronJob. */
export const cronJob = (settings: KindSettings): KindDeclaration<CronJob> => ({
  generation: true,
  gatedFields: gatedWithin(templateOf, POD_FIELDS),
  defaults(object) {
    const spec = object.spec?.jobTemplate?.spec;
    if (spec) defaultTemplate(spec);
  },
  validate: (object, names, old) =>
    validateCronJob(object.spec, old?.spec, podContext(names, settings, old && templateOf(old))),
  validateCreate: ({ metadata }) => validateCronJobName(metadata?.name ?? ''),
  warnings: (object, names, old) => [...ofWorkload(object, names, old), ...zoneWarnings(object)],
  row(object, now) {
    const last = object.status?.lastScheduleTime;
    return {
      Schedule: object.spec?.schedule ?? '',
      Suspend: optionalBool(object.spec?.suspend),
      Active: (object.status?.active ?? []).length,
      'Last Schedule': timeOf(last) === undefined ? NONE : age(last, now),
      ...containersOf(object.spec?.jobTemplate?.spec?.template?.spec),
      Selector: formatSelector(object.spec?.jobTemplate?.spec?.selector),
    };
  },
});
