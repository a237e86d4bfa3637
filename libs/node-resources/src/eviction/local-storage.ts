import { parseQuantity } from '@orch/machinery';
import { podAmounts } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import { diskOf, type PodUsage } from '../usage/usage.js';

/** Whether a pod may have only so many files. */
export function limitsFiles(pod: Pod): boolean {
  const hasLimit = (pod.spec?.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined);
  return hasLimit || podAmounts(pod, 'limits').has('ephemeral-storage') || containerLimits(pod).length > 0;
}

const containerLimits = ({ spec }: Pod): string[] =>
  (spec?.containers ?? []).flatMap(({ resources }) => resources?.limits?.['ephemeral-storage'] ?? []);

/** Returns why a pod has more files than it may; undefined if it has not. */
export function storageExcess(pod: Pod, usage: PodUsage): string | undefined {
  return volumeExcess(pod, usage) ?? podExcess(pod, usage) ?? containerExcess(pod, usage);
}

function volumeExcess({ spec }: Pod, { volumes }: PodUsage): string | undefined {
  for (const { name, emptyDir } of spec?.volumes ?? []) {
    if (emptyDir?.sizeLimit === undefined) continue;
    const limit = parseQuantity(emptyDir.sizeLimit);
    const used = volumes.find((volume) => volume.name === name)?.bytes ?? 0;
    if (limit.value() > 0n && used > Number(limit.value()))
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
  }
  return undefined;
}

function podExcess(pod: Pod, usage: PodUsage): string | undefined {
  const limit = podAmounts(pod, 'limits').get('ephemeral-storage');
  if (limit === undefined || diskOf(usage, ['roots', 'logs', 'volumes']).bytes <= Number(limit)) return undefined;
  const texts = containerLimits(pod);
  const text = texts.length === 1 ? parseQuantity(texts[0] ?? '0').toString() : String(limit);
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
}

function containerExcess({ spec }: Pod, { containers }: PodUsage): string | undefined {
  for (const { name, statistics, logs } of containers) {
    const text = spec?.containers?.find((declared) => declared.name === name)?.resources?.limits?.['ephemeral-storage'];
    if (text === undefined) continue;
    const limit = parseQuantity(text);
    if ((statistics.writableLayer?.usedBytes ?? 0) + logs.bytes > Number(limit.value()))
      return `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
  }
  return undefined;
}
