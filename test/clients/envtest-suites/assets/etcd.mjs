// Is healthy where etcd would listen, and tells the stand-in for kube-apiserver in which folder to keep its data.
import { createServer } from 'node:http';

const flag = (name) =>
  process.argv
    .find((each) => each.startsWith(`--${name}=`))
    ?.split('=')
    .slice(1)
    .join('=');

const { hostname, port } = new URL(flag('listen-client-urls'));
createServer((request, response) => {
  const answer = request.url === '/data-dir' ? flag('data-dir') : '{"health":"true"}';
  response.end(answer);
}).listen(Number(port), hostname);
process.once('SIGTERM', () => process.exit(0));
