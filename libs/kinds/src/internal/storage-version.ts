import type { KindDeclaration } from '../rules/kind-rules.js';
import { objectsAt, textAt } from '../values/fields.js';
import { joined, UNSET } from '../values/text.js';

export const storageVersion: KindDeclaration = {
  resetFields: { status: [['metadata'], ['spec']] },
  unconditionalUpdate: false,
  row: (object) => ({
    CommonEncodingVersion: textAt(object, 'status', 'commonEncodingVersion') || UNSET,
    StorageVersions: joined(
      objectsAt(object, 'status', 'storageVersions').map(
        (each) => `${textAt(each, 'apiServerID')}=${textAt(each, 'encodingVersion')}`,
      ),
    ),
  }),
};
