import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = fileURLToPath(new URL('.', import.meta.url));

/**
 * Seconds that files typically take, of those that take long, by their paths from here; the line "slowest files" of a run has them, and what
 * unit tests print of each file.
 */
const SECONDS = JSON.parse(readFileSync(new URL('typical-seconds.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, number>
>;

/**
 * Starts the longest files of a group first, whatever suite they are of, so that no worker is left alone with one at the end. What is not
 * in the table comes behind, as by default.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || secondsOf(b) - secondsOf(a));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;

const secondsOf = ({ moduleId }: TestSpecification): number => SECONDS[relative(ROOT, moduleId)] ?? 0;
