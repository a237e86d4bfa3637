// Checks that no sources of a library import each other in a circle, types included. Prints each circle and exits with 1.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSource } from './rooms.mjs';

const IMPORT = /(?:\bfrom |\bimport\()'(\.[^']+)'/g;

/** What each source of a library imports of it. */
function importsWithin(library) {
  const root = join('libs', library, 'src');
  const files = readdirSync(root, { recursive: true }).filter((name) => isSource(name) && !/(^|\/)gen\//.test(name));
  const targetsOf = (file) =>
    [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, target]) =>
      join(dirname(file), target).replace(/\.js$/, '.ts'),
    );
  return new Map(files.map((name) => join(root, name)).map((file) => [file, targetsOf(file)]));
}

/** The circles of a graph: its strongly connected components of more than one node (Tarjan). */
function circlesOf(graph) {
  const [order, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

const circles = readdirSync('libs').flatMap((library) => circlesOf(importsWithin(library)));
for (const circle of circles) console.error(`files import each other in a circle: ${circle.join(', ')}`);
if (circles.length > 0) process.exit(1);
console.log('circles: none');
