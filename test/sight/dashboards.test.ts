import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { queriesOf } from './dashboards.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FOLDER = here('../../deploy/grafana/');
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** Labels by the name of each metric, as the manual lists them. */
const METRICS = new Map(
  [...readFileSync(here('../../docs/reference.md'), 'utf8').matchAll(/^\| `(\w+)` \| \w+ \| \w* \| ([^|]*) \|/gm)].map(
    ([, name = '', labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)] as const,
  ),
);
/** Labels that Prometheus adds to each series, and those of histograms. */
const GIVEN = ['instance', 'job', 'namespace', 'le'];
/** Metrics of Prometheus itself and of the probing exporter. */
const OF_OTHERS = /^(?:up$|probe_)/;

/** The labels that the series of an answer have. */
const labelsOf = (query: string): string[] =>
  (/\bby \(([^)]*)\)/.exec(query)?.[1]?.split(/,\s*/) ?? []).filter((label) => label !== 'le');

interface Selector {
  readonly name: string;
  readonly labels: readonly string[];
}

const selectorsOf = (query: string): Selector[] =>
  [...query.matchAll(/\b([a-z]\w*)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)[=!]~?"/g)].map(([, label = '']) => label),
  }));

describe.each(NAMES)('%s', (file) => {
  const json = readFileSync(`${FOLDER}${file}`, 'utf8');
  const dashboard = JSON.parse(json);
  const queries = queriesOf(file, json, { instance: '.*', __rate_interval: '5m' });

  test('asks for metrics and labels that there are', () => {
    for (const { where, query } of queries)
      for (const { name, labels } of selectorsOf(query).filter(({ name }) => !OF_OTHERS.test(name))) {
        const known = METRICS.get(name) ?? METRICS.get(name.replace(/_(?:bucket|count|sum)$/, ''));
        expect(known, `${where}: ${name}`).toBeDefined();
        const own = selectorsOf(query).length === 1 ? labelsOf(query) : [];
        for (const label of [...labels, ...own])
          expect([...(known ?? []), ...GIVEN], `${where}: ${label}`).toContain(label);
      }
  });

  test('tells apart by their names what a panel shows', () => {
    for (const { where, query, legend } of queries) {
      for (const label of labelsOf(query)) expect(legend, where).toContain(`{{${label}}}`);
      // A zero without labels would be there beside series that have some, without a name.
      if (labelsOf(query).length > 0) expect(query, where).not.toMatch(/or vector\(0\)$/);
    }
    for (const panel of dashboard.panels) {
      const legends = panel.targets.map(({ legendFormat }: { legendFormat: string }) => legendFormat);
      expect(new Set(legends).size, panel.title).toBe(legends.length);
      // By itself a single value is shown without its name.
      if (panel.type === 'stat') expect(panel.options.textMode, panel.title).toBe('value_and_name');
    }
  });

  test('is about these servers alone, where others of Kubernetes are asked by the same Prometheus', () => {
    const [, instance] = dashboard.templating.list;
    expect(instance).toMatchObject({
      name: 'instance',
      query: expect.stringMatching(/^label_values\(orch_\w+, instance\)$/),
    });
    // All of them are those that it found, and not any.
    expect(instance).not.toHaveProperty('allValue');
  });
});
