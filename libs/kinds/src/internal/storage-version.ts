import { joined, UNSET } from '../printing/text.js';
import { objectsAt, textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const storageVersion: KindDeclaration = {
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
