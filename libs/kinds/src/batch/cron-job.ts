import { defaultTemplate } from '../pods/pod-spec.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { age, timeOf } from '../values/age.js';
import { at, isObject, objectsAt, textAt } from '../values/fields.js';
import { containersOf, formatSelector, NONE, optionalBool } from '../values/text.js';
import { validateCronJob, validateCronJobName } from './cron-job-validation.js';

export const cronJob: KindDeclaration = {
  generation: true,
  defaults(object) {
    const spec = at(object, 'spec', 'jobTemplate', 'spec');
    if (isObject(spec)) defaultTemplate(spec);
  },
  validate: ({ spec }, _names, old) => validateCronJob(spec, old?.spec),
  validateCreate: ({ metadata }) => validateCronJobName(metadata?.name ?? ''),
  row(object, now) {
    const last = at(object, 'status', 'lastScheduleTime');
    return {
      Schedule: textAt(object, 'spec', 'schedule'),
      Suspend: optionalBool(at(object, 'spec', 'suspend')),
      Active: objectsAt(object, 'status', 'active').length,
      'Last Schedule': timeOf(last) === undefined ? NONE : age(last, now),
      ...containersOf(at(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')),
      Selector: formatSelector(at(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    };
  },
};
