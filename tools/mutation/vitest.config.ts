import { readFileSync } from 'node:fs';
import { mergeConfig, type Plugin } from 'vitest/config';
import base from '../../vitest.config.js';

/** Runs the unit tests with one source file replaced: `MUTANT_OF` is its path, `MUTANT` that of the replacement. */
export default mergeConfig(base, { plugins: [mutant()], test: { reporters: ['dot'] } });

function mutant(): Plugin {
  const { MUTANT_OF: of, MUTANT: as } = process.env;
  return {
    name: 'mutant',
    enforce: 'pre',
    load: (id) =>
      of !== undefined && as !== undefined && id.split('?')[0] === of ? readFileSync(as, 'utf8') : undefined,
  };
}
