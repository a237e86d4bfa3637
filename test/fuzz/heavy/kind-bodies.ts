import type { Piece } from './body-parts.js';
import { type Filling, filled, type HeavyRequest, post } from './heavy-request.js';
import { longTexts } from './long-texts.js';
import { OBJECT_LISTS } from './object-lists.js';
import { POD_LISTS } from './pod-lists.js';
import { storableCount } from './storable.js';

/** Returns a body of the maximum size that can be stored with all its defaults. */
function storable(path: string, head: string, piece: Piece, tail: string, filling: Filling = {}): Buffer {
  const body = (count: number) => filled(head, piece, tail, { ...filling, count });
  return body(Math.min(filling.count ?? Number.POSITIVE_INFINITY, storableCount(path, body)));
}

/** Objects of the kinds that hold as much as they may of one thing. */
export const kindBodies: readonly HeavyRequest[] = [
  ...[...POD_LISTS, ...OBJECT_LISTS].map(([name, path, head, piece, tail, filling]) =>
    post(`kind: ${name}`, path, () => storable(path, head, piece, tail, filling)),
  ),
  ...longTexts,
];
