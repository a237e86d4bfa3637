export {
  ALLOW,
  type Authorizer,
  type Decision,
  MASTERS,
  NO_OPINION,
  type PathRule,
  type RequestAttributes,
  type ResourceRule,
  rulesOf,
  type UserRules,
  union,
} from './authorizer.js';
export { credentialsDecide } from './credentials-decide.js';
export { forbiddenRequest } from './forbidden.js';
