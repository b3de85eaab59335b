/** What a person sees when the host is up: where things are, and what to try next. */
import { isAbsolute, relative } from 'node:path';
import type { World } from '../sim/start.ts';
import { version } from './version.ts';

export interface Welcome {
  url: string;
  directory: string;
  /** Where the token is, if not in the directory. */
  tokenFile?: string | undefined;
  /** About the port, when it is not the usual one. */
  note: string | undefined;
  world: World | undefined;
}

export function welcome({ url, directory, tokenFile, note, world }: Welcome): string {
  const near = relative(process.cwd(), directory);
  const shown = near.startsWith('..') || isAbsolute(near) ? directory : near;
  const lines = [
    `Poolwright ${version} is up.`,
    `  HTTP            ${url} (token in ${tokenFile ?? `${shown}/token`})${note === undefined ? '' : `; ${note}`}`,
  ];
  if (world) {
    const kubectl = `kubectl --kubeconfig ${shown}/kubeconfig`;
    lines.push(
      `  Kubernetes API  ${world.cluster.url} (simulated; ${shown}/kubeconfig)`,
      `  Cloud           ${world.cloud.url} (simulated)`,
      '',
      'Try:',
      `  ${kubectl} apply -f docs/examples/first-claim.yaml`,
      `  ${kubectl} get nodeclaims -w`,
      `  npm run -s poolwright -- explain first${shown === '.poolwright' ? '' : ` --data-dir ${shown}`}`,
      `  ${kubectl} delete nodeclaim first`,
    );
  }
  lines.push('', 'Ctrl-C stops it; the next start goes on where this one ended.');
  return `${lines.join('\n')}\n\n`;
}
