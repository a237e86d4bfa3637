import { type ApiObject, dnsLabelErrors, duplicate, type FieldError, validateLabels } from '@orch/machinery';
import { podContext } from '../pods/kept-rules.js';
import type { PodContext } from '../pods/pod-context.js';
import { validateResources } from '../pods/resource-validation.js';
import { validateTolerations } from '../pods/toleration-validation.js';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { each } from '../rules/lists.js';
import type { KindSettings } from '../rules/settings.js';
import { type Json, mapAt, objectsAt, textAt } from '../values/fields.js';
import { keyWarnings } from '../warnings/node-labels.js';

export const runtimeClass = (settings: KindSettings): KindDeclaration => ({
  freeFinalizers: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validateUpdate: (object, old) => immutableField(object, old, 'handler'),
  validate: (object, names) => validateClass(object, podContext(names, settings)),
  warnings: (object, names) =>
    keyWarnings(
      Object.keys(mapAt(object, 'scheduling', 'nodeSelector')).map((label) => ['scheduling.nodeSelector', label]),
      names,
    ),
  row: (object) => ({ Handler: textAt(object, 'handler') }),
});

/** What runs pods, what that costs, and where it is. The cost is called in errors as clients know it. */
function validateClass(object: ApiObject, context: PodContext): FieldError[] {
  const handler = textAt(object, 'handler');
  const tolerations = objectsAt(object, 'scheduling', 'tolerations');
  return [
    // An empty name is refused as any other wrong one.
    ...invalidEach('handler', handler, dnsLabelErrors(handler)),
    ...validateResources({ limits: mapAt(object, 'overhead', 'podFixed') }, 'overhead', context),
    ...validateLabels(mapAt(object, 'scheduling', 'nodeSelector'), 'scheduling.nodeSelector'),
    ...validateTolerations(tolerations, 'scheduling.tolerations.tolerations'),
    ...refuseRepeated(tolerations),
  ];
}

function refuseRepeated(tolerations: readonly Json[]): FieldError[] {
  const seen = new Set<string>();
  return each(tolerations, 'scheduling.tolerations', (toleration, path) => {
    const key = JSON.stringify(['key', 'operator', 'value', 'effect'].map((name) => textAt(toleration, name)));
    if (seen.has(key)) return [duplicate(path, toleration)];
    seen.add(key);
    return [];
  });
}
