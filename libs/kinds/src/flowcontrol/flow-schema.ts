import type { FlowSchema } from '@orch/schema/types/flowcontrol/v1beta3';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { ensureObject, fillZero } from '../values/fields.js';
import { orNone } from '../values/text.js';
import { validateFlowSchema, validateFlowStatus } from './flow-schema-validation.js';

const DEFAULT_PRECEDENCE = 1000;

/** Rules of FlowSchema. */
export const flowSchema: KindDeclaration<FlowSchema> = {
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  generation: true,
  defaults: (object) => fillZero(ensureObject(object, 'spec'), 'matchingPrecedence', DEFAULT_PRECEDENCE),
  validate: validateFlowSchema,
  validateStatus: validateFlowStatus,
  row(object) {
    const dangling = (object.status?.conditions ?? []).find(({ type }) => type === 'Dangling');
    return {
      PriorityLevel: object.spec?.priorityLevelConfiguration?.name ?? '',
      MatchingPrecedence: object.spec?.matchingPrecedence ?? 0,
      DistinguisherMethod: orNone(object.spec?.distinguisherMethod?.type ?? ''),
      MissingPL: dangling?.status || '?',
    };
  },
};
