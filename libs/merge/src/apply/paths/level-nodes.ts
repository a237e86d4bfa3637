import type { Steps } from '../steps.js';
import { type Join, joinedNode, type NodeOf } from './node.js';
import { compareElements, type PathElement } from './path-element.js';
import { sortInSteps } from './sort-in-steps.js';

const byElement = (a: NodeOf<unknown>, b: NodeOf<unknown>): number => compareElements(a.element, b.element);

/** Builds the nodes of a level; elements may come in any order and more than once. */
export class LevelNodes<Below> {
  #nodes: NodeOf<Below>[] = [];
  #inOrder = true;

  /** @param join merges the levels below two nodes of one element */
  constructor(private readonly join: Join<Below>) {}

  /** Adds a child; for an existing one the union of both. */
  add(element: PathElement, member: boolean, below: Below | undefined): void {
    const last = this.#nodes.at(-1);
    if (last && compareElements(last.element, element) >= 0) this.#inOrder = false;
    this.#nodes.push({ element, member, below });
  }

  /** Whether nothing was added. */
  get isEmpty(): boolean {
    return this.#nodes.length === 0;
  }

  /** The nodes added so far, in order. */
  get nodes(): readonly NodeOf<Below>[] {
    if (!this.#inOrder) this.#sort();
    return this.#nodes;
  }

  /** Same as {@link nodes}. */
  *nodesInSteps(): Steps<readonly NodeOf<Below>[]> {
    if (!this.#inOrder) this.#settle(yield* sortInSteps(this.#nodes, (some) => some.sort(byElement), byElement));
    return this.#nodes;
  }

  /** Sorts once and at the end: an object may have tens of thousands of fields in any order. */
  #sort(): void {
    this.#settle(this.#nodes.sort(byElement));
  }

  /** Merges nodes of equal elements. */
  #settle(inOrder: readonly NodeOf<Below>[]): void {
    const sorted: NodeOf<Below>[] = [];
    for (const node of inOrder) {
      const last = sorted.at(-1);
      if (last && compareElements(last.element, node.element) === 0) {
        sorted[sorted.length - 1] = joinedNode(last, node, this.join);
      } else sorted.push(node);
    }
    this.#nodes = sorted;
    this.#inOrder = true;
  }
}
