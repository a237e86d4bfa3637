export { ChangeFollower } from './change-follower.js';
export { type FollowedSource, FollowedType } from './followed-type.js';
export {
  type ChangedNames,
  type FollowedRow,
  ObjectFollower,
  type ObjectFollowerOptions,
  type ObjectSource,
} from './object-follower.js';
export { STALL_MS } from './stall.js';
