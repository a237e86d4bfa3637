export * from './allocation/allocator.js';
export * from './allocation/ranges.js';
export { convert } from './conversion/convert.js';
export { heldValues, ownerOf } from './core/service-allocation.js';
export { age, humanDuration } from './printing/age.js';
export type {
  Allocation,
  Cell,
  KindRules,
  ScaleRules,
  ScaleView,
  WriteContext,
} from './rules/kind-rules.js';
export { kindRules } from './rules/registry.js';
