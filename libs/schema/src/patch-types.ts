/** The content type of patches that are applied by what structs declare of their fields. */
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** The content type of a server-side apply, which is no patch of a document: what it makes of an object, owners decide. */
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Content types of patches, in the order in which clients are told them. Kinds without a struct have no strategic ones. */
export const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  STRATEGIC_PATCH,
  APPLY_PATCH,
] as const;
