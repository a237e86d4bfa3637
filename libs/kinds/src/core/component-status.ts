import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { objectsAt, textAt } from '../values/fields.js';

export const componentStatus: KindDeclaration = {
  row(object) {
    const healthy = condition(object);
    const word = { True: 'Healthy', False: 'Unhealthy' }[textAt(healthy, 'status')] ?? 'Unknown';
    return { Status: word, Message: textAt(healthy, 'message'), Error: textAt(healthy, 'error') };
  },
};

const condition = (object: ApiObject) => objectsAt(object, 'conditions').find(({ type }) => type === 'Healthy');
