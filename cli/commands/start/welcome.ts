/** What a person sees when the host is up: where things are, and what to try next. */
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { World } from '../../../sim/scenes/sim.ts';
import { version } from '../../version.ts';

export interface Welcome {
  url: string;
  directory: string;
  /** Where the token is, if not in the directory. */
  tokenFile?: string | undefined;
  /** About the port, when it is not the usual one. */
  note: string | undefined;
  world: World | undefined;
}

/** In a clone, and in the package. */
const example = fileURLToPath(new URL('../../../docs/examples/first-claim.yaml', import.meta.url));

/** Short where it is below the folder that people stand in. */
function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

export function welcome({ url, directory, tokenFile, note, world }: Welcome): string {
  const shown = shownPath(directory);
  const lines = [
    `Poolwright ${version} is up.`,
    `  HTTP            ${url} (token in ${tokenFile ?? `${shown}/token`})${note === undefined ? '' : `; ${note}`}`,
  ];
  if (world) {
    const kubectl = `kubectl --kubeconfig ${shown}/kubeconfig`;
    const here = shown === '.poolwright' ? '' : ` --data-dir ${shown}`;
    lines.push(
      `  Kubernetes API  ${world.cluster.url} (simulated; ${shown}/kubeconfig)`,
      `  Cloud           ${world.cloud.url} (simulated)`,
      '',
      'Try:',
      `  ${kubectl} apply -f ${shownPath(example)}`,
      `  npx poolwright get claims -w${here}`,
      `  npx poolwright explain first${here}`,
      `  ${kubectl} delete nodeclaim first`,
    );
  }
  lines.push('', 'Press Ctrl-C to stop. The next start continues where this one stopped.');
  return `${lines.join('\n')}\n\n`;
}
