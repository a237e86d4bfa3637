import { namesOf } from '@orch/machinery';
import { expect, test } from 'vitest';
import { deletionAnswersObject } from './deletion-answer.js';
import { loadScheme } from './scheme.js';

test.each(['orch', 'kubernetes'] as const)(
  'the kinds whose deletion answers with the object exist in %s',
  (profile) => {
    const { resources } = loadScheme(namesOf(profile));
    const found = resources.filter(({ schema }) => deletionAnswersObject(schema)).map(({ resource }) => resource);
    expect(found).toHaveLength(15);
    expect(found).toEqual(expect.arrayContaining(['pods', 'services', 'storageclasses', 'resourceclaims']));
    expect(found).not.toContain('configmaps');
  },
);
