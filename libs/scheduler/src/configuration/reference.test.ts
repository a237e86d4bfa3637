import { readFileSync } from 'node:fs';
import { namesOf } from '@orch/machinery';
import { pluginRegistry } from '@orch/scheduler-plugins';
import { describe, expect, it } from 'vitest';
import { readSchedulerConfiguration } from './read-configuration.js';
import { writtenConfiguration } from './written-configuration.js';

/** Documents that are treated otherwise here. */
const DIFFERENT = [
  // Refused, as there are no such plugins; the reference ignores arguments of plugins that it does not know.
  '"multiPoint":{"enabled":[{"name":"SelectorSpread"}]}',
  '"pluginConfig":[{"name":"Nope"',
  // Arguments of plugins that have none are ignored, and not written again.
  '"pluginConfig":[{"name":"NodeName","args":{"x":1}}]',
  // Certificates are read when the connection is made.
  '"caData":"YWJj"',
];

/** Documents, each with what kube-scheduler 1.27.16 has made of it: all defaults written, or its error. */
interface Answer {
  readonly document: Record<string, unknown>;
  readonly written?: unknown;
  readonly error?: string;
}

const answers = readFileSync(new URL('reference-configurations.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Answer)
  .filter(({ document }) => !DIFFERENT.some((part) => JSON.stringify(document).includes(part)));

const names = namesOf('kubernetes');
const settings = { registry: pluginRegistry, names, features: { volumeCapacityPriority: false } };
const read = (document: unknown) => readSchedulerConfiguration(document, settings).configuration;
const labelled = (list: readonly Answer[]) => list.map((each) => [JSON.stringify(each.document), each] as const);

/** Leaves out what says nothing: the reference writes empty fields that are left out here, and the other way round. */
function significant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(significant);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, significant(each)] as const);
  return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

describe('configurations that the reference accepts', () => {
  it.each(labelled(answers.filter(({ written }) => written)))('%s', (_text, { document, written }) => {
    const own = JSON.parse(JSON.stringify(writtenConfiguration(read(document), names)));
    // Requests are not limited by default here.
    const { qps = 50, burst = 100 } = (document.clientConnection ?? {}) as { qps?: number; burst?: number };
    expect(significant({ ...own, clientConnection: { ...own.clientConnection, qps, burst } })).toEqual(written);
  });
});

const FIELD_ERRORS = /(\w[\w.[\]]+): ((?:Invalid|Required|Duplicate|Unsupported) value|Forbidden)/g;
/** Refusals of the reference that name no field, as both word them. */
const WORDS =
  /unknown field|no kind|missing unit|does not exist|does not extend \w+ plugin|already registered as "\w+"|only one queue sort plugin required|at least one bind plugin is needed/;

describe('configurations that the reference refuses', () => {
  it.each(labelled(answers.filter(({ error }) => error)))('%s', (_text, { document, error = '' }) => {
    let own = '';
    try {
      read(document);
    } catch (thrown) {
      own = (thrown as Error).message;
    }
    const fields = [...error.matchAll(FIELD_ERRORS)].map(([, field = '', reason = '']) => `${field}: ${reason}`);
    for (const field of fields) expect(own.toLowerCase()).toContain(field.toLowerCase());
    expect(own).toContain(fields.length > 0 ? '' : (WORDS.exec(error)?.[0] ?? ''));
    expect(own).not.toBe('');
  });
});
