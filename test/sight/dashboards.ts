import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Panel {
  readonly title?: string;
  readonly targets?: readonly { readonly expr?: string }[];
  readonly panels?: readonly Panel[];
}

/** A query and where it stands. */
export interface PanelQuery {
  readonly where: string;
  readonly query: string;
}

/** The queries of a dashboard, with what stands for its variables. */
export function queriesOf(name: string, json: string, variables: Readonly<Record<string, string>>): PanelQuery[] {
  const found: PanelQuery[] = [];
  const visit = (panel: Panel): void => {
    for (const { expr } of panel.targets ?? []) {
      if (expr === undefined) throw new Error(`${name}: a target of ${panel.title} has no query`);
      found.push({ where: `${name}: ${panel.title}`, query: expr.replace(/\$(\w+)/g, (_all, key) => value(key)) });
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
