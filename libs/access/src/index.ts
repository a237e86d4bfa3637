export { AccessControl } from './access-control.js';
export {
  type AuthorizationOptions,
  authorizationModes,
  authorizationOptions,
  checkAuthorization,
} from './authorization-options.js';
export { Grants } from './grants.js';
export { ParamRights } from './param-rights.js';
export type { ApiRole } from './policy-objects.js';
