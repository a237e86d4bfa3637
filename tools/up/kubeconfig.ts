/** A kubeconfig with one cluster and a user with a bearer token. JSON, which is YAML too. */
export function kubeconfig(access: { readonly url: string; readonly ca: string; readonly token: string }): string {
  const name = 'orch';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: { server: access.url, 'certificate-authority-data': Buffer.from(access.ca).toString('base64') },
      },
    ],
    users: [{ name, user: { token: access.token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
