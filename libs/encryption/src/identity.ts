import type { Key, TypeName } from '@orch/storage';

/** Returns the identity of an object, which is bound to its ciphertext: none of the parts can hold a zero byte. */
export const identityOf = ({ group, resource }: TypeName, { namespace, name }: Key): Buffer =>
  Buffer.from(`${group}\0${resource}\0${namespace}\0${name}`);
