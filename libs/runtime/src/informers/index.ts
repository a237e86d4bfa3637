export type {
  ChangedKeys,
  Indexers,
  ObjectState,
  Reflector,
  ReflectorTarget,
  SharedInformer,
} from './informer.js';
export { SharedIndexInformer } from './shared-index-informer.js';
