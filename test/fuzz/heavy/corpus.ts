import type { HeavyRequest } from './heavy-request.js';
import { jsonBodies } from './json-bodies.js';
import { kindBodies } from './kind-bodies.js';
import { ownerBodies } from './owner-bodies.js';
import { patchBodies } from './patch-bodies.js';
import { protobufBodies } from './protobuf-bodies.js';
import { queries } from './queries.js';
import { deletions, wholeObjects } from './whole-objects.js';
import { yamlBodies } from './yaml-bodies.js';

/** The worst requests that are known, by what they are made of. */
export const corpus: Readonly<Record<string, readonly HeavyRequest[]>> = {
  json: jsonBodies,
  yaml: yamlBodies,
  protobuf: protobufBodies,
  kinds: kindBodies,
  patches: patchBodies,
  owners: ownerBodies,
  'whole objects': wholeObjects,
  deletions,
  queries,
};
