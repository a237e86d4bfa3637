/** A rule of a chain, at its end or at its beginning. */
export interface IptablesRule {
  /** Table of the chain. */
  readonly table: 'filter' | 'nat' | 'mangle';
  /** Chain. */
  readonly chain: string;
  /** Whether it stands before all others. */
  readonly isFirst: boolean;
  /** The rule as arguments. */
  readonly args: readonly string[];
}

/** Chains and rules of one family of addresses. */
interface IptablesRules {
  /** Chains by their table. */
  readonly chains: readonly (readonly [table: IptablesRule['table'], chain: string])[];
  /** Rules in the order in which they are made. */
  readonly rules: readonly IptablesRule[];
}

const comment = (text: string) => ['-m', 'comment', '--comment', text];
const markOf = (bit: number): string => `0x${(2 ** bit).toString(16).padStart(8, '0')}`;
const rule = (table: IptablesRule['table'], chain: string, args: readonly string[], isFirst = false): IptablesRule => ({
  ...{ table, chain, args, isFirst },
});

/**
 * Returns the chains that other programs of the cluster jump to.
 * @param dropBit bit of the mark of packets that are dropped
 * @param masqueradeBit bit of the mark of packets whose source becomes the node
 */
export function utilityRules(isIPv6: boolean, dropBit: number, masqueradeBit: number): IptablesRules {
  const [drop, masquerade] = [markOf(dropBit), markOf(masqueradeBit)];
  return {
    chains: [
      ['mangle', 'KUBE-IPTABLES-HINT'],
      ['filter', 'KUBE-FIREWALL'],
      ['nat', 'KUBE-MARK-DROP'],
      ['nat', 'KUBE-MARK-MASQ'],
      ['nat', 'KUBE-POSTROUTING'],
    ],
    rules: [
      ...(isIPv6 ? [] : FIREWALL),
      rule('nat', 'KUBE-MARK-DROP', ['-j', 'MARK', '--or-mark', drop]),
      rule('filter', 'KUBE-FIREWALL', [
        ...comment('kubernetes firewall for dropping marked packets'),
        ...['-m', 'mark', '--mark', `${drop}/${drop}`, '-j', 'DROP'],
      ]),
      rule('nat', 'KUBE-MARK-MASQ', ['-j', 'MARK', '--or-mark', masquerade]),
      rule('nat', 'POSTROUTING', [...comment('kubernetes postrouting rules'), '-j', 'KUBE-POSTROUTING'], true),
      rule('nat', 'KUBE-POSTROUTING', ['-m', 'mark', '!', '--mark', `${masquerade}/${masquerade}`, '-j', 'RETURN']),
      rule('nat', 'KUBE-POSTROUTING', ['-j', 'MARK', '--xor-mark', masquerade]),
      rule('nat', 'KUBE-POSTROUTING', [
        ...comment('kubernetes service traffic requiring SNAT'),
        ...['-j', 'MASQUERADE', '--random-fully'],
      ]),
    ],
  };
}

/** Packets from other machines must not reach what listens on loopback; version 6 has no such routes. */
const FIREWALL: readonly IptablesRule[] = [
  rule('filter', 'OUTPUT', ['-j', 'KUBE-FIREWALL'], true),
  rule('filter', 'INPUT', ['-j', 'KUBE-FIREWALL'], true),
  rule('filter', 'KUBE-FIREWALL', [
    ...comment('block incoming localnet connections'),
    ...['--dst', '127.0.0.0/8', '!', '--src', '127.0.0.0/8'],
    ...['-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED,DNAT', '-j', 'DROP'],
  ]),
];
