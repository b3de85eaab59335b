/** A cluster as the client of the Kubernetes project meets it: an address, an authority and a token that is let in. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig, Watch } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';

export interface World {
  server: string;
  ca: string;
  /** Of a user with all rights. The server answers 401 without it. */
  token: string;
  close(): Promise<void>;
}

/** Only inside a test is there one. */
export type CurrentWorld = () => World;

let count = 0;
export const freshName = (prefix: string): string => `${prefix}-${process.pid}-${Date.now().toString(36)}-${++count}`;

/** As on disk. The context `wanted` is not the current one of the file. */
export function kubeconfigFor({ server, ca }: World, user: object): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'other',
    clusters: [
      { name: 'other', cluster: { server: 'https://127.0.0.1:1' } },
      { name: 'wanted', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [
      { name: 'other', user: {} },
      { name: 'wanted', user },
    ],
    contexts: [
      { name: 'other', context: { cluster: 'other', user: 'other' } },
      { name: 'wanted', context: { cluster: 'wanted', user: 'wanted', namespace: 'kube-system' } },
    ],
  });
}

export function writeKubeconfig(world: World, user: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'config');
  writeFileSync(file, kubeconfigFor(world, user));
  return file;
}

/** The client, connected with the world's token. */
export function connected(world: World): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(kubeconfigFor(world, { token: world.token }));
  config.setCurrentContext('wanted');
  return config;
}

/** What the server said no with. */
export async function refusal(call: Promise<unknown>): Promise<{ code: unknown; reason?: unknown; message: string }> {
  try {
    await call;
  } catch (error) {
    const { code, body } = error as { code: unknown; body: unknown };
    // Some of the client's calls hand on the body as it came, some as an object.
    const status = typeof body === 'string' ? (JSON.parse(body) as object) : body;
    const { reason, message } = (status ?? {}) as { reason?: unknown; message?: string };
    return { code, reason, message: message ?? String(error) };
  }
  throw new Error('the server said yes');
}

/** The typed calls of the client turn times into dates; its watch hands on what came. */
// biome-ignore lint/suspicious/noExplicitAny: looked at field by field, and a wrong shape fails the test.
export async function objectAsItCame(world: World, path: string): Promise<any> {
  const [folder, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
  return await new Promise((resolve, reject) => {
    const watching = new Watch(connected(world)).watch(
      folder,
      { fieldSelector: `metadata.name=${name}`, timeoutSeconds: 30 },
      (_type, object) => {
        resolve(object);
        void watching.then((one) => one.abort());
      },
      (error) => reject(error ?? new Error(`${path} did not come`)),
    );
  });
}
