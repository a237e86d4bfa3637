/** @throws RangeError */
function checkServer(text: string): void {
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:') throw new RangeError('is no https URL');
  const { username, password, search, hash } = new URL(text);
  if (username + password + search + hash !== '') throw new RangeError('has a user, a query or a fragment');
}

/** Options that name a server, and the authority of its certificate. */
export const clusterOptions = {
  server: {
    type: 'string',
    required: true,
    check: checkServer,
    help: 'URL of the API, as its clients reach it: https://api.example.com:6443.',
  },
  'cert-dir': {
    type: 'string',
    default: 'pki',
    help: "A server's --cert-dir, where ca.crt and ca.key lie; orch standalone has it as pki in --data-dir.",
  },
  'server-ca-file': {
    type: 'string',
    help: "Authority of the server's certificate. Default: ca.crt in --cert-dir.",
  },
} as const;
