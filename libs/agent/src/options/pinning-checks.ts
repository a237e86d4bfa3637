import { parseQuantity } from '@orch/machinery';
import { OptionsError } from '@orch/runtime';

const POLICY_OPTION = 'full-pcpus-only';
/** Options of the reference that are off unless its alpha features are on. */
const ALPHA_OPTIONS = ['distribute-cpus-across-numa', 'align-by-socket'];

/** Checks options of the CPU manager. @throws OptionsError */
export function checkPolicyOptions(options: ReadonlyMap<string, string>): void {
  const problems = [...options].flatMap(([name, value]) => {
    if (ALPHA_OPTIONS.includes(name)) return [`${JSON.stringify(name)} is an alpha option, and not offered`];
    if (name !== POLICY_OPTION) return [`unknown option ${JSON.stringify(name)}`];
    return value === 'true' || value === 'false' ? [] : [`bad value for option ${JSON.stringify(name)}: ${value}`];
  });
  if (problems.length > 0)
    throw new OptionsError(problems.map((problem) => `--cpu-manager-policy-options: ${problem}`));
}

/** Checks a list of CPUs as the kernel writes it. @throws Error */
export function checkCpuList(text: string): void {
  if (!/^(?:\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)?$/.test(text)) throw new Error(`${JSON.stringify(text)} is not as 0-3,8`);
  for (const [, first, last] of text.matchAll(/(\d+)-(\d+)/g))
    if (Number(first) > Number(last)) throw new Error(`${first}-${last} is no range`);
}

/** Bytes by NUMA node and resource. */
type ReservedMemory = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** Parses memory of NUMA nodes, `0:memory=1Gi,hugepages-2Mi=64Mi`; several nodes by several texts or with `;` between. @throws Error */
export function parseReservedMemory(texts: readonly string[]): ReservedMemory {
  const found = new Map<number, Map<string, number>>();
  for (const text of texts.flatMap((each) => each.split(';')).filter((each) => each.trim() !== '')) {
    const [, node, amounts = ''] = /^(\d+):(.+)$/.exec(text.trim()) ?? [];
    if (node === undefined) throw new Error(`${JSON.stringify(text)} is not NODE:memory=AMOUNT`);
    if (found.has(Number(node))) throw new Error(`the NUMA node ${node} occurs twice`);
    found.set(Number(node), new Map(amounts.split(',').map(parseAmount)));
  }
  return found;
}

function parseAmount(text: string): readonly [string, number] {
  const [resource = '', amount = ''] = text.split('=');
  if (resource !== 'memory' && !resource.startsWith('hugepages-'))
    throw new Error(`${JSON.stringify(resource)} is neither memory nor hugepages-SIZE`);
  const bytes = Number(parseQuantity(amount).value());
  if (bytes <= 0) throw new Error(`${resource}=${amount} has to be more than 0`);
  return [resource, bytes];
}

/** Checks memory of NUMA nodes. @throws Error */
export function checkReservedMemory(texts: readonly string[]): void {
  parseReservedMemory(texts);
}
