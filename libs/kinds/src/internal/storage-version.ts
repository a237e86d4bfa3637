import type { StorageVersion } from '@orch/schema/types/apiserverinternal/v1alpha1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { joined, UNSET } from '../values/text.js';
import { validateStorageVersionName, validateStorageVersionStatus } from './storage-version-validation.js';

/** Rules of StorageVersion. */
export const storageVersion: KindDeclaration<StorageVersion> = {
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  // Its validation is stricter: `<group>.<resource>`.
  nameRule: 'pathSegment',
  unconditionalUpdate: false,
  validateCreate: validateStorageVersionName,
  validateStatus: validateStorageVersionStatus,
  row: (object) => ({
    CommonEncodingVersion: object.status?.commonEncodingVersion || UNSET,
    StorageVersions: joined(
      (object.status?.storageVersions ?? []).map((each) => `${each.apiServerID ?? ''}=${each.encodingVersion ?? ''}`),
    ),
  }),
};
