import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { objectsAt, textAt } from '../values/fields.js';
import { joined, UNSET } from '../values/text.js';
import { validateStorageVersionName, validateStorageVersionStatus } from './storage-version-validation.js';

export const storageVersion: KindDeclaration = {
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  // Its own rule says more: `<group>.<resource>`.
  nameRule: 'pathSegment',
  unconditionalUpdate: false,
  validateCreate: validateStorageVersionName,
  validateStatus: validateStorageVersionStatus,
  row: (object) => ({
    CommonEncodingVersion: textAt(object, 'status', 'commonEncodingVersion') || UNSET,
    StorageVersions: joined(
      objectsAt(object, 'status', 'storageVersions').map(
        (each) => `${textAt(each, 'apiServerID')}=${textAt(each, 'encodingVersion')}`,
      ),
    ),
  }),
};
