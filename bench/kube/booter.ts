/** Starts the process that makes nodes Ready, as kubelets would. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { KubeApiserver } from '../../test/kube/apiserver.ts';
import { endProcess, mustStay } from '../harness/end-process.ts';
import { rememberProcess } from '../harness/leftovers.ts';

export interface Booter {
  end(): Promise<void>;
}

export async function startBooter(server: KubeApiserver): Promise<Booter> {
  const file = fileURLToPath(new URL('booter-process.ts', import.meta.url));
  const { url, ca, adminToken: token } = server;
  const child = fork(file, [JSON.stringify({ url, ca, token })], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  if (child.pid !== undefined) rememberProcess(child.pid);
  mustStay(child, 'the booter');
  await once(child, 'message');
  return { end: () => endProcess(child, 'SIGKILL') };
}
