import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { countAt, ensureObject, fillZero, objectsAt, textAt } from '../values/fields.js';
import { orNone } from '../values/text.js';
import { validateFlowSchema, validateFlowStatus } from './flow-schema-validation.js';

const DEFAULT_PRECEDENCE = 1000;

export const flowSchema: KindDeclaration = {
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  generation: true,
  defaults: (object) => fillZero(ensureObject(object, 'spec'), 'matchingPrecedence', DEFAULT_PRECEDENCE),
  validate: validateFlowSchema,
  validateStatus: validateFlowStatus,
  row(object) {
    const dangling = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Dangling');
    return {
      PriorityLevel: textAt(object, 'spec', 'priorityLevelConfiguration', 'name'),
      MatchingPrecedence: countAt(object, 'spec', 'matchingPrecedence'),
      DistinguisherMethod: orNone(textAt(object, 'spec', 'distinguisherMethod', 'type')),
      MissingPL: textAt(dangling, 'status') || '?',
    };
  },
};
