import type { PriorityLevelConfiguration } from '@orch/schema/types/flowcontrol/v1beta3';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { fill, fillZero } from '../values/fields.js';
import { NONE } from '../values/text.js';
import { validateFlowStatus } from './flow-schema-validation.js';
import { type Limited, type SharesField, validatePriorityLevel } from './priority-level-validation.js';

const DEFAULT_SHARES = 30;
const DEFAULT_QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 } as const;

/** Field that holds the shares, by version. */
const SHARES: Readonly<Record<string, SharesField>> = {
  v1beta2: 'assuredConcurrencyShares',
  v1beta3: 'nominalConcurrencyShares',
};

const count = (value: number | undefined): string | number => value ?? NONE;

/** The rules of the kind in one of its versions. */
export function priorityLevelConfiguration(
  _settings: KindSettings,
  version: string,
): KindDeclaration<PriorityLevelConfiguration> {
  const shares = SHARES[version] ?? 'nominalConcurrencyShares';
  return {
    resetFields: { status: [['metadata'], ['spec']] },
    subresources: { status: keepAllButStatus },
    generation: true,
    defaults(object) {
      const limited = object.spec?.limited;
      if (limited) defaultLimited(limited, shares);
    },
    validate: (object) => validatePriorityLevel(object, shares),
    validateStatus: validateFlowStatus,
    refusedFieldNames: new Map(
      Object.values(SHARES).map((stored) => [`spec.limited.${stored}`, `spec.limited.${shares}`]),
    ),
    row: (object) => ({
      Type: object.spec?.type ?? '',
      NominalConcurrencyShares: count((object.spec?.limited as Limited | undefined)?.[shares]),
      Queues: count(object.spec?.limited?.limitResponse?.queuing?.queues),
      HandSize: count(object.spec?.limited?.limitResponse?.queuing?.handSize),
      QueueLengthLimit: count(object.spec?.limited?.limitResponse?.queuing?.queueLengthLimit),
    }),
  };
}

function defaultLimited(limited: Limited, shares: SharesField): void {
  fillZero(limited, shares, DEFAULT_SHARES);
  fill(limited, 'lendablePercent', 0);
  const queuing = limited.limitResponse?.queuing;
  if (!queuing) return;
  for (const name of ['queues', 'handSize', 'queueLengthLimit'] as const)
    fillZero(queuing, name, DEFAULT_QUEUING[name]);
}
