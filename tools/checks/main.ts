import { parseArgs } from 'node:util';
import { directClocks } from './clocks.js';
import { longLines, readDocuments } from './doc-lines.js';
import { type Coverage, exportedNames, publicMembers } from './docstrings.js';
import { doublingWaits } from './doubling-waits.js';
import { readFaces } from './faces.js';
import { wordsWithoutSubject } from './first-words.js';
import { longFunctions, wideFunctions } from './functions.js';
import { needlessExports, unusedFaceNames } from './needless-exports.js';
import { type Bound, problemsOf, readKnown, shrunk, writeKnown } from './ratchet.js';
import { largeFolders, largePackages, longFiles } from './sizes.js';
import { isSource, type Measured, parse, readTexts } from './sources.js';
import { stringAccessors } from './string-accessors.js';
import { sharedTypeNames } from './type-names.js';

const USAGE = `Checks bounds on the sources and the documents. What exceeds one stands in
tools/checks/known, by name; these amounts may only shrink, by hand or with --shrink.
Prints each problem and exits with 1.
`;

/** Measures everything that is bounded. */
function measure(): Bound[] {
  const texts = readTexts();
  const sourceTexts = new Map([...texts].filter(([path]) => isSource(path)));
  const files = parse(texts);
  const sources = files.filter(({ path }) => isSource(path));
  const faces = readFaces();
  const [names, members] = [exportedNames(sources), publicMembers(sources)];
  console.log(`docstrings: ${share(names)} of exported names, ${share(members)} of public members`);
  const check = (name: string, unit: string, measured: Measured): Bound => ({ name, unit, measured });
  return [
    check('large-folders', 'sources (at most 24)', largeFolders(sourceTexts)),
    check('large-packages', 'thousand lines (at most 6)', largePackages(sourceTexts)),
    check('long-files', 'lines (at most 300)', longFiles(sourceTexts)),
    check('long-functions', 'lines (at most 35)', longFunctions(sources)),
    check('wide-functions', 'parameters (at most 5)', wideFunctions(sources)),
    check('undocumented-names', 'exported names without a docstring', names.missing),
    check('undocumented-members', 'public members without a docstring', members.missing),
    check('first-words', 'docstrings without a subject', wordsWithoutSubject(sourceTexts)),
    check('type-names', 'files export a type of this name', sharedTypeNames(sources)),
    check('clocks', "direct uses of timers and clocks (use runtime's Clock)", directClocks(sources)),
    check('doubling-waits', 'waits that double (use Backoff of runtime/work)', doublingWaits(sourceTexts)),
    check('string-accessors', 'reads of members by strings (use the generated types)', stringAccessors(sourceTexts)),
    check('needless-exports', 'export that nobody imports', needlessExports(files, faces)),
    check('unused-face-names', 'names that a package passes on and nobody imports', unusedFaceNames(files, faces)),
    check('long-doc-lines', 'lines of more than 160 columns', longLines(readDocuments())),
  ];
}

function share({ all, missing }: Coverage): string {
  const without = [...missing.values()].reduce((sum, each) => sum + each, 0);
  return `${((1 - without / all) * 100).toFixed(1)} %`;
}

const { values } = parseArgs({ options: { shrink: { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) console.log(USAGE);
else {
  const checks = measure();
  if (values.shrink) for (const { name, measured } of checks) writeKnown(name, shrunk(measured, readKnown(name)));
  const problems = checks.flatMap((check) => problemsOf(check, readKnown(check.name)));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`bounds: ${checks.length} are kept`);
}
