/**
 * What the cloud would run after a page has published it: the local host, on a stand-in for the cloud, with the token that the page
 * made. In the cluster it is who the page lets in, and nobody else, so that a right which the page forgets is missing.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { KubeCluster } from '../kube/cluster.ts';
import { type GuardedProcess, startGuarded } from '../kube/guarded-process.ts';
import type { Place } from './run-page.ts';

/** After the end of a page: its rights are gone from the cluster, also those that point at nothing any more. */
export async function expectNoRightsLeft(kube: KubeCluster): Promise<void> {
  const kinds = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
  const lists = kinds.map((kind) => kube.request('GET', `/apis/rbac.authorization.k8s.io/v1/${kind}`));
  const names = (await Promise.all(lists)).flatMap(({ body }) =>
    body.items.map((one: { metadata: { namespace?: string; name: string } }) => one.metadata),
  );
  // What is in the namespace goes with it.
  const left = names.filter(({ namespace, name }) => namespace !== 'poolwright' && name.startsWith('poolwright'));
  expect(left.map(({ namespace, name }) => [namespace, name])).toEqual([]);
}

export interface Platform {
  kube: KubeCluster;
  port: number;
  /** As whom it comes to the cluster. */
  user: string;
  groups?: readonly string[];
  providers: { [name: string]: unknown };
  env?: NodeJS.ProcessEnv;
}

export async function startPlatform(place: Place, platform: Platform): Promise<GuardedProcess> {
  const file = (name: string): string => join(place.directory, '..', name);
  const kubeconfig = JSON.parse(readFileSync(platform.kube.kubeconfig, 'utf8'));
  for (const { user } of kubeconfig.users)
    Object.assign(user, { as: platform.user, 'as-groups': platform.groups ?? [] });
  writeFileSync(file('platform.kubeconfig'), JSON.stringify(kubeconfig));
  const config = {
    deployment: 'office',
    clusters: { east: { kubeconfig: file('platform.kubeconfig') } },
    providers: platform.providers,
    http: { port: platform.port, tokenFile: join(place.directory, 'http-token') },
  };
  writeFileSync(file('platform.json'), JSON.stringify(config));
  const program = join(place.directory, 'cli/poolwright.js');
  const args = [program, 'start', '--config', file('platform.json'), '--data-dir', file('platform')];
  const logFile = file('platform.log');
  const host = await startGuarded(process.execPath, args, { logFile, env: { ...place.env, ...platform.env } });
  let ended: string | undefined;
  void host.ended.then((text) => {
    ended = text;
  });
  while (!existsSync(logFile) || !readFileSync(logFile, 'utf8').includes('is up.')) {
    if (ended !== undefined) throw new Error(`the host did not start: ${ended}`);
    await pause(50);
  }
  return host;
}
