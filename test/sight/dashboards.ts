import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const SHIPPED = fileURLToPath(new URL('../../deploy/grafana', import.meta.url));

interface Panel {
  readonly title?: string;
  readonly targets?: readonly { readonly expr?: string; readonly legendFormat?: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly noValue?: string } };
  readonly panels?: readonly Panel[];
}

/** A query and where it stands. */
export interface PanelQuery {
  readonly where: string;
  readonly query: string;
  /** Format of the names of its series. */
  readonly legend?: string | undefined;
  /** Its panel has words for nothing at all: what it shows is there once something is configured, or goes wrong. */
  readonly isSparse?: boolean;
}

/** The queries of the dashboards that operators are given, with what stands for their variables. */
export function shippedQueries(variables: Readonly<Record<string, string>>): PanelQuery[] {
  const files = readdirSync(SHIPPED).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => queriesOf(name, readFileSync(join(SHIPPED, name), 'utf8'), variables));
}

/** The queries of a dashboard, with what stands for its variables. */
export function queriesOf(name: string, json: string, variables: Readonly<Record<string, string>>): PanelQuery[] {
  const found: PanelQuery[] = [];
  const visit = (panel: Panel): void => {
    const isSparse = panel.fieldConfig?.defaults.noValue !== undefined;
    for (const { expr, legendFormat: legend } of panel.targets ?? []) {
      if (expr === undefined) throw new Error(`${name}: a target of ${panel.title} has no query`);
      const query = expr.replace(/\$(\w+)/g, (_all, key) => value(key));
      found.push({ where: `${name}: ${panel.title}`, query, legend, isSparse });
    }
    for (const inner of panel.panels ?? []) visit(inner);
  };
  const value = (key: string): string => {
    const known = variables[key];
    if (known === undefined) throw new Error(`${name}: unknown variable ${key}`);
    return known;
  };
  for (const panel of JSON.parse(json).panels as Panel[]) visit(panel);
  return found;
}

/** The dashboard of a name out of a list of ConfigMaps. */
export function dashboardIn(file: string, name: string): string {
  const { items } = parse(readFileSync(file, 'utf8')) as { items: { data: Record<string, string> }[] };
  const found = items.find(({ data }) => data[name] !== undefined)?.data[name];
  if (found === undefined) throw new Error(`${file} has no ${name}`);
  return found;
}
