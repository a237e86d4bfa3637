import { install, installed, needed } from '../installed.js';

/** The official client for Python of a release: the interpreter, and the variables with which it finds the package. */
export function pythonClient(version: string) {
  const command = needed('python3', 'Python 3.9 or later, with pip');
  const folder = installed(`python-kubernetes-${version}`, (target) => {
    install(command, ['-m', 'pip', 'install', '--no-compile', '--target', target, `kubernetes==${version}`]);
  });
  return { command, env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' } };
}
