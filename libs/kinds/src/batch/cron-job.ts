import type { ApiObject } from '@orch/machinery';
import { dropDisabledTemplateFields } from '../pods/disabled-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { age, timeOf } from '../values/age.js';
import { at, isObject, objectsAt, textAt } from '../values/fields.js';
import { containersOf, formatSelector, NONE, optionalBool } from '../values/text.js';
import { validateCronJob, validateCronJobName } from './cron-job-validation.js';

const templateOf = (object: ApiObject): unknown => at(object, 'spec', 'jobTemplate', 'spec', 'template');

export const cronJob: KindDeclaration = {
  generation: true,
  defaults(object) {
    const spec = at(object, 'spec', 'jobTemplate', 'spec');
    if (isObject(spec)) defaultTemplate(spec);
  },
  prepareForCreate: (object) => dropDisabledTemplateFields(templateOf(object)),
  prepareForUpdate: (object, old) => dropDisabledTemplateFields(templateOf(object), templateOf(old)),
  validate: (object, names, old) => validateCronJob(object.spec, old?.spec, podContext(names, old && templateOf(old))),
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
