import { STEP, type Steps } from '../steps.js';
import { Pace } from '../values/few.js';
import { type NodeOf, paceOf } from './node.js';

/** The parts of a set that its text depends on. */
interface Texted {
  /** Text between the braces of its level */
  readonly text: string;
  readonly isMany: boolean;
  readonly size: number;
}

type Nodes = readonly NodeOf<Texted>[];

/**
 * Encodes the text between the braces of a level in `fieldsV1`, byte for byte as the reference writes it, except for
 * the place itself.
 */
export function textOf(nodes: Nodes): string {
  let text = '';
  for (const node of nodes) text = withNode(text, node);
  return text;
}

/** Same as {@link textOf}; the text below large nodes is there already. */
export function* textInSteps(nodes: Nodes): Steps<string> {
  let text = '';
  const pace = new Pace();
  for (const node of nodes) {
    text = withNode(text, node);
    if (pace.isOver(paceOf(node.below))) yield STEP;
  }
  return text;
}

function withNode(text: string, { element, member, below }: NodeOf<Texted>): string {
  const named = text === '' ? element.json : `${text},${element.json}`;
  return below ? `${named}{${member ? `".":{},` : ''}${below.text}}` : `${named}{}`;
}
