import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiObject } from '@orch/machinery';
import { parse } from 'yaml';
import { goModule } from '../go-module.js';

const [VERSION, SUM] = ['v0.27.16', 'h1:CZqa4a40Gg3XvrJhST/7rUPGPj8fzRkT7tMLqpe5gOY='];

/** A pod of the data that the pod security standards are published with. */
export interface PublishedPod {
  readonly file: string;
  readonly level: string;
  /** Version as in labels: `v1.27`. */
  readonly version: string;
  /** Whether the level, as that release has it, lets the pod in. */
  readonly passes: boolean;
}

/** All of them, some thousands. */
export function publishedPods(): readonly PublishedPod[] {
  const data = join(goModule('k8s.io/pod-security-admission', VERSION, SUM), 'test', 'testdata');
  return ['baseline', 'restricted'].flatMap((level) =>
    readdirSync(join(data, level)).flatMap((version) =>
      ['pass', 'fail'].flatMap((outcome) => {
        const folder = join(data, level, version, outcome);
        const files = readdirSync(folder).map((name) => join(folder, name));
        return files.map((file) => ({ file, level, version, passes: outcome === 'pass' }));
      }),
    ),
  );
}

/**
 * Reads a pod from its file, adds the default of volumes without a source, and renames it, since the names are invalid.
 */
export function readPod({ file }: PublishedPod): ApiObject {
  const text = readFileSync(file, 'utf8');
  const pod = read.get(text) ?? parsed(text);
  read.set(text, pod);
  return { ...pod, metadata: { ...pod.metadata, name: 'test' } };
}

/** Most are the same for many releases. */
const read = new Map<string, ApiObject>();

function parsed(text: string): ApiObject {
  const pod = parse(text) as ApiObject & { readonly spec: { readonly volumes?: readonly object[] } };
  for (const volume of pod.spec.volumes ?? []) if (Object.keys(volume).length === 1) Object.assign(volume, EMPTY);
  return pod;
}

const EMPTY = { emptyDir: {} };
