import type { ApiObject } from '@orch/machinery';
import { NONE } from '../printing/text.js';
import { at, fillZero, isObject, textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const ingressClass: KindDeclaration = {
  generation: true,
  defaults(object) {
    const parameters = at(object, 'spec', 'parameters');
    if (isObject(parameters)) fillZero(parameters, 'scope', 'Cluster');
  },
  row: (object) => ({ Controller: textAt(object, 'spec', 'controller'), Parameters: parametersText(object) }),
};

/** `Kind.group/name` */
function parametersText(object: ApiObject): string {
  const parameters = at(object, 'spec', 'parameters');
  if (!isObject(parameters)) return NONE;
  const group = textAt(parameters, 'apiGroup');
  return `${textAt(parameters, 'kind')}${group && `.${group}`}/${textAt(parameters, 'name')}`;
}
