/** Descriptions of `apiVersion` and `kind` of every object. Clients and their tests expect the first words. */
export const API_VERSION =
  'APIVersion defines the versioned schema of this object: the group and the version that it is written in.';
export const KIND =
  'Kind is a string value representing the REST resource of this object, in CamelCase. It cannot be changed.';
