import type { Key, TypeName } from '@orch/storage';

/** What an object is, as it is bound to what is encrypted of it: none of the parts can hold a zero byte. */
export const identityOf = ({ group, resource }: TypeName, { namespace, name }: Key): Buffer =>
  Buffer.from(`${group}\0${resource}\0${namespace}\0${name}`);
