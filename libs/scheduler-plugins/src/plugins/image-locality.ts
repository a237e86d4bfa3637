import type { ClusterView } from '../framework/cluster-view.js';
import type { NodeInfo } from '../framework/node-info.js';
import { MAX_SCORE, type ScorePlugin } from '../framework/plugin.js';

const MIB = 1024 * 1024;
/** Bytes of images below which a node is not preferred. */
const LEAST = 23 * MIB;
/** Bytes of the image of one container above which a node is not preferred more. */
const MOST = 1_000 * MIB;

/** Prefers nodes that have the images of a pod, the more so the more nodes have them. */
export const imageLocality: ScorePlugin = {
  name: 'ImageLocality',
  score({ pod }, nodes, view) {
    const containers = pod.spec?.containers ?? [];
    const images = containers.map(({ image = '' }) => imageName(image));
    if (images.every((image) => view.nodesWithImage(image) === 0)) return undefined;
    return nodes.map((node) => imageScore(sizeOnNode(images, node, view), containers.length));
  },
};

/** Returns the name of an image as runtimes report it: with a tag. */
export function imageName(name: string): string {
  return name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name;
}

function sizeOnNode(images: readonly string[], node: NodeInfo, view: ClusterView): number {
  let sum = 0;
  for (const image of images) {
    const size = node.images.get(image);
    if (size !== undefined) sum += spreadSize(size, view.nodesWithImage(image), view.nodes.length);
  }
  return sum;
}

/** Returns what an image of so many bytes counts, by the share of nodes that have it. */
export function spreadSize(bytes: number, nodesThatHaveIt: number, nodes: number): number {
  return Math.floor(bytes * (nodesThatHaveIt / nodes));
}

/** Returns the score of a node for what the images of a pod count there. */
export function imageScore(sum: number, containers: number): number {
  const most = MOST * containers;
  const bounded = Math.min(Math.max(sum, LEAST), most);
  return Math.floor((MAX_SCORE * (bounded - LEAST)) / (most - LEAST));
}
