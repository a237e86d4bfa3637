import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { at, fill, fillZero, isObject, type Json, numberAt, textAt } from '../values/fields.js';
import { NONE } from '../values/text.js';
import { validateFlowStatus } from './flow-schema-validation.js';
import { validatePriorityLevel } from './priority-level-validation.js';

const DEFAULT_SHARES = 30;
const DEFAULT_QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 } as const;

/** Field that holds the shares, by version. */
const SHARES: Readonly<Record<string, string>> = {
  v1beta2: 'assuredConcurrencyShares',
  v1beta3: 'nominalConcurrencyShares',
};

const count = (value: number | undefined): string | number => value ?? NONE;

/** The rules of the kind in one of its versions. */
export function priorityLevelConfiguration(_settings: KindSettings, version: string): KindDeclaration {
  const shares = SHARES[version] ?? 'nominalConcurrencyShares';
  return {
    resetFields: { status: [['metadata'], ['spec']] },
    subresources: { status: keepAllButStatus },
    generation: true,
    defaults(object) {
      const limited = at(object, 'spec', 'limited');
      if (isObject(limited)) defaultLimited(limited, shares);
    },
    validate: (object) => validatePriorityLevel(object, shares),
    validateStatus: validateFlowStatus,
    refusedFieldNames: new Map(
      Object.values(SHARES).map((stored) => [`spec.limited.${stored}`, `spec.limited.${shares}`]),
    ),
    row: (object) => ({
      Type: textAt(object, 'spec', 'type'),
      NominalConcurrencyShares: count(numberAt(object, 'spec', 'limited', shares)),
      Queues: count(numberAt(object, 'spec', 'limited', 'limitResponse', 'queuing', 'queues')),
      HandSize: count(numberAt(object, 'spec', 'limited', 'limitResponse', 'queuing', 'handSize')),
      QueueLengthLimit: count(numberAt(object, 'spec', 'limited', 'limitResponse', 'queuing', 'queueLengthLimit')),
    }),
  };
}

function defaultLimited(limited: Json, shares: string): void {
  fillZero(limited, shares, DEFAULT_SHARES);
  fill(limited, 'lendablePercent', 0);
  const queuing = at(limited, 'limitResponse', 'queuing');
  if (!isObject(queuing)) return;
  for (const [name, value] of Object.entries(DEFAULT_QUEUING)) fillZero(queuing, name, value);
}
