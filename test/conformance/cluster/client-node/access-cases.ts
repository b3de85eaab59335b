import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../shared/base/runtime.ts';
import { readKubeconfig } from '../../../../shared/kube/access/kubeconfig.ts';
import { connectCluster } from '../../../../shared/kube/client/http.ts';
import { namespaces } from '../../../../shared/kube/contract.ts';
import { silentLog } from '../../../../shared/observe/log/log.ts';
import { type CurrentWorld, refusal, writeKubeconfig } from './world.ts';

export function accessCases(current: CurrentWorld): void {
  it('with a token in a kubeconfig, and so do we with the same file', async () => {
    const file = writeKubeconfig(current(), { token: current().token });
    expect(await asTheyDo(file)).toBe(await asWeDo(file));
  });

  it('with an exec plugin, and so do we with the same file', async () => {
    const file = writeKubeconfig(current(), { exec: plugin(current().token) });
    expect(await asTheyDo(file)).toBe(await asWeDo(file));
  });

  it('not with a token that the server does not know', async () => {
    const file = writeKubeconfig(current(), { exec: plugin('not-a-token') });
    expect(await refusal(asTheyDo(file))).toMatchObject({ code: 401 });
  });

  it('not with an exec plugin that fails, and says what the plugin said', async () => {
    const script = 'console.error("no session"); process.exit(3)';
    const exec = { ...plugin(''), args: ['-e', script] };
    const file = writeKubeconfig(current(), { exec });
    await expect(asTheyDo(file)).rejects.toThrow('no session');
  });
}

function plugin(token: string): object {
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } };
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', 'process.stdout.write(process.env.CREDENTIAL)'],
    env: [{ name: 'CREDENTIAL', value: JSON.stringify(credential) }],
    interactiveMode: 'Never',
  };
}

/** The identity of the cluster. */
async function asTheyDo(file: string): Promise<string | undefined> {
  const config = new KubeConfig();
  config.loadFromFile(file);
  expect(config.getCurrentContext()).toBe('other');
  config.setCurrentContext('wanted');
  const found = await config.makeApiClient(CoreV1Api).readNamespace({ name: 'kube-system' });
  return found.metadata?.uid;
}

async function asWeDo(file: string): Promise<string> {
  const read = readKubeconfig(file, 'wanted');
  if (!read.ok) throw new Error(read.text);
  const api = connectCluster({
    name: 'peer',
    ...read.access,
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 30_000,
    fieldManager: 'poolwright',
  });
  onTestFinished(() => api.close());
  const found = await api.get(namespaces, { name: 'kube-system' });
  if (!found.ok) throw new Error(found.error.message);
  return found.value.metadata.uid;
}
