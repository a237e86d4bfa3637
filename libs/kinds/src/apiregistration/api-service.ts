import type { APIService } from '@orch/schema/types/apiregistration/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { validateService, validateServiceStatus } from './api-service-validation.js';

/** Rules of APIService. */
export const apiService: KindDeclaration<APIService> = {
  nameRule: 'pathSegment',
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  freeFinalizers: true,
  unconditionalUpdate: false,
  validate: validateService,
  validateStatus: validateServiceStatus,
  row: (object) => ({ Service: serviceText(object), Available: available(object) }),
};

function serviceText(object: APIService): string {
  const service = object.spec?.service;
  return service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local';
}

function available(object: APIService): string {
  const condition = (object.status?.conditions ?? []).find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const status = condition.status ?? '';
  return status === 'True' ? status : `${status} (${condition.reason ?? ''})`;
}
