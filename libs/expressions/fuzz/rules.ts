import type { Random } from '../../../test/faults/random.js';
import { FAULTS, TEMPLATES } from './templates.js';

const TYPES = Object.keys(TEMPLATES);
const NAMES = ['x', 'y', 'z', 'item', 'key'];
/** Of all places those where something is that may not fit. */
const FAULTY = 0.004;
/** How often a variable is used where there is one. */
const FAMILIAR = 0.4;
const HOLE = /<([a-z]+)>|\$([a-z]+)/g;

interface Variable {
  readonly name: string;
  readonly type: string;
}

/** An expression of a type, as deep as is said. */
function expression(random: Random, type: string, depth: number, variables: readonly Variable[]): string {
  if (random.chance(FAULTY)) return filled(random, random.pick(FAULTS), depth, variables);
  if (random.chance(FAULTY)) return expression(random, random.pick(TYPES), depth, variables);
  const known = variables.filter((variable) => variable.type === type);
  if (known.length > 0 && random.chance(FAMILIAR)) return random.pick(known).name;
  const all = TEMPLATES[type] ?? [];
  const flat = all.filter((template) => !/[<$][a-z]+/.test(template));
  return filled(random, random.pick(depth > 0 || flat.length === 0 ? all : flat), depth, variables);
}

function filled(random: Random, template: string, depth: number, around: readonly Variable[]): string {
  const variables = [...around];
  return template.replace(HOLE, (_, type?: string, declared?: string) => {
    if (type !== undefined) return expression(random, type, depth - 1, variables);
    const name = `${random.pick(NAMES)}${random.chance(0.5) ? variables.length : ''}`;
    variables.push({ name, type: declared ?? '' });
    return name;
  });
}

/** A rule on {@link SCHEMA}, most of the time one that compiles. */
export const randomRule = (random: Random): string => expression(random, 'bool', random.between(1, 4), []);
