import { dnsLabelErrors, duplicate, type FieldError, validateLabels } from '@orch/machinery';
import type { Toleration } from '@orch/schema/types/core/v1';
import type { RuntimeClass } from '@orch/schema/types/node/v1';
import { podContext } from '../pods/kept-rules.js';
import type { PodContext } from '../pods/pod-context.js';
import { validateResources } from '../pods/resource-validation.js';
import { validateTolerations } from '../pods/toleration-validation.js';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { each } from '../rules/lists.js';
import type { KindSettings } from '../rules/settings.js';
import { keyWarnings } from '../warnings/node-labels.js';

/** Rules of RuntimeClass; the handler is immutable. */
export const runtimeClass = (settings: KindSettings): KindDeclaration<RuntimeClass> => ({
  freeFinalizers: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validateUpdate: (object, old) => immutableField(object, old, 'handler'),
  validate: (object, names) => validateClass(object, podContext(names, settings)),
  warnings: (object, names) =>
    keyWarnings(
      Object.keys(object.scheduling?.nodeSelector ?? {}).map((label) => ['scheduling.nodeSelector', label]),
      names,
    ),
  row: (object) => ({ Handler: object.handler ?? '' }),
});

/** Checks the handler that runs pods, its overhead, and its nodes. Errors name the overhead as clients know it. */
function validateClass(object: RuntimeClass, context: PodContext): FieldError[] {
  const handler = object.handler ?? '';
  const tolerations = object.scheduling?.tolerations ?? [];
  return [
    // An empty name is refused as any other wrong one.
    ...invalidEach('handler', handler, dnsLabelErrors(handler)),
    ...validateResources({ limits: object.overhead?.podFixed ?? {} }, 'overhead', context),
    ...validateLabels(object.scheduling?.nodeSelector ?? {}, 'scheduling.nodeSelector'),
    ...validateTolerations(tolerations, 'scheduling.tolerations.tolerations'),
    ...refuseRepeated(tolerations),
  ];
}

function refuseRepeated(tolerations: readonly Toleration[]): FieldError[] {
  const seen = new Set<string>();
  return each(tolerations, 'scheduling.tolerations', (toleration, path) => {
    const key = JSON.stringify((['key', 'operator', 'value', 'effect'] as const).map((name) => toleration[name] ?? ''));
    if (seen.has(key)) return [duplicate(path, toleration)];
    seen.add(key);
    return [];
  });
}
