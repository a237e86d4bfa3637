import { UnreadableBodyError, UnreadableChangesError } from '@orch/storage';

/** What a reader of changes is told where the key of one of them is not to be had for now. */
export const heldUp = (): UnreadableChangesError => {
  const what = {
    type: { group: '', resource: 'configmaps' },
    key: { namespace: 'a', name: 'b' },
    why: 'nobody has its key',
  };
  return new UnreadableChangesError(new UnreadableBodyError(what, true));
};
