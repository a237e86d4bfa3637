import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A part of a page that is meant to be typed or copied. */
export interface Example {
  readonly page: string;
  /** The heading that it stands under. */
  readonly section: string;
  readonly text: string;
}

const INDENT = '    ';
const COMMAND = /`((?:helm|kubectl) [^`]+)`/g;

/** Indented blocks of a page of `docs/`, and commands of helm and kubectl within sentences, in their order. */
export function examplesOf(page: string): Example[] {
  const lines = readFileSync(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), 'utf8').split('\n');
  const examples: Example[] = [];
  let section = '';
  let block: string[] = [];
  const finish = () => {
    const text = block.join('\n').trim();
    if (text !== '') examples.push({ page, section, text });
    block = [];
  };
  for (const line of lines) {
    if (line.startsWith(INDENT)) block.push(line.slice(INDENT.length));
    else if (line === '' && block.length > 0) block.push('');
    else {
      finish();
      if (/^#+ /.test(line)) section = line.replace(/^#+ /, '');
      for (const [, text = ''] of line.matchAll(COMMAND)) examples.push({ page, section, text });
    }
  }
  finish();
  return examples;
}
