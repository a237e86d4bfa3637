export {
  ALLOW,
  type Authorizer,
  type Decision,
  MASTERS,
  NO_OPINION,
  type RequestAttributes,
  union,
} from './authorizer.js';
export { credentialsDecide } from './credentials-decide.js';
export { forbiddenRequest } from './forbidden.js';
