export { ChangeFollower } from './change-follower.js';
export { ResourceInformer, type ResourceInformerSource } from './resource-informer.js';
export { STALL_MS } from './stall.js';
export { informerSettings, StoreInformer, type StoreInformerOptions } from './store-informer.js';
export { type InformerStore, StoreReflector } from './store-reflector.js';
