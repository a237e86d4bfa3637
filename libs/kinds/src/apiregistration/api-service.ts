import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { at, isObject, objectsAt, textAt } from '../values/fields.js';
import { validateService, validateServiceStatus } from './api-service-validation.js';

export const apiService: KindDeclaration = {
  nameRule: 'pathSegment',
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  freeFinalizers: true,
  unconditionalUpdate: false,
  validate: validateService,
  validateStatus: validateServiceStatus,
  row: (object) => ({ Service: serviceText(object), Available: available(object) }),
};

function serviceText(object: ApiObject): string {
  const service = at(object, 'spec', 'service');
  return isObject(service) ? `${textAt(service, 'namespace')}/${textAt(service, 'name')}` : 'Local';
}

function available(object: ApiObject): string {
  const condition = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const status = textAt(condition, 'status');
  return status === 'True' ? status : `${status} (${textAt(condition, 'reason')})`;
}
