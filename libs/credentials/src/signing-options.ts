/** Makes the option that names the certificate of one signer, where not all signers use the same. */
const certOf = (signer: string) =>
  ({
    type: 'string',
    help: `Certificate authority of the signer ${signer}. It replaces --cluster-signing-cert-file, which cannot be given together with it; signers without an authority then sign nothing.`,
  }) as const;
const keyOf = (option: string) => ({ type: 'string', help: `Private key of --${option}.` }) as const;

/** Options of how certificate requests are signed. Names are those of the reference's controller manager. */
export const signingOptions = {
  'cluster-signing-cert-file': {
    type: 'string',
    help: 'Certificate authority that signs approved certificate requests; its client certificates are trusted. It is read again when it changes. Without its key, this server signs nothing. Default: one created in --cert-dir, unless --tls-cert-file is given.',
  },
  'cluster-signing-key-file': {
    type: 'string',
    help: 'Private key of --cluster-signing-cert-file, RSA or ECDSA.',
  },
  'cluster-signing-kube-apiserver-client-cert-file': certOf('kube-apiserver-client'),
  'cluster-signing-kube-apiserver-client-key-file': keyOf('cluster-signing-kube-apiserver-client-cert-file'),
  'cluster-signing-kubelet-client-cert-file': certOf('kube-apiserver-client-kubelet'),
  'cluster-signing-kubelet-client-key-file': keyOf('cluster-signing-kubelet-client-cert-file'),
  'cluster-signing-kubelet-serving-cert-file': certOf('kubelet-serving'),
  'cluster-signing-kubelet-serving-key-file': keyOf('cluster-signing-kubelet-serving-cert-file'),
  'cluster-signing-legacy-unknown-cert-file': certOf('legacy-unknown'),
  'cluster-signing-legacy-unknown-key-file': keyOf('cluster-signing-legacy-unknown-cert-file'),
  'cluster-signing-duration': {
    type: 'duration',
    default: 365 * 86_400_000,
    min: 600_000,
    help: 'Validity of signed certificates; a shorter one may be requested in spec.expirationSeconds.',
  },
} as const;
