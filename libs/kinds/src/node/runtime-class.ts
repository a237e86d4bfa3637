import { dnsLabelErrors } from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';

export const runtimeClass: KindDeclaration = {
  freeFinalizers: true,
  unconditionalUpdate: false,
  validateUpdate: (object, old) => immutableField(object, old, 'handler'),
  validate(object) {
    const handler = textAt(object, 'handler');
    // An empty name is refused as any other wrong one.
    return invalidEach('handler', handler, dnsLabelErrors(handler));
  },
  row: (object) => ({ Handler: textAt(object, 'handler') }),
};
