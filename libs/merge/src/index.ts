export * from './apply/index.js';
export {
  MalformedPatchError,
  PatchError,
  type PatchReason,
  PatchTooLargeError,
  UnprocessablePatchError,
} from './errors.js';
export { applyJsonPatch, type JsonPatchOptions } from './json-patch.js';
export { equalJson } from './json-values.js';
export { applyMergePatch } from './merge-patch.js';
export { strategicMergePatch } from './strategic/strategic-merge-patch.js';
