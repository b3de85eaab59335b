/** The pages that need nothing but this machine: the simulated cloud and cluster, and kubectl. */
import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { runPage } from './run-page.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
if (!hasKubectl) console.warn('skipped: kubectl is not on the PATH');

describe.skipIf(!hasKubectl)('(skipped where kubectl is not on the PATH)', () => {
  runPage('docs/quick-start/local.md', { startsHost: true });
  runPage('README.md', {
    startsHost: true,
    // The picture comes first on the page; one sees it once the claims are there.
    order: ([picture, ...others]) => {
      const made = others.findIndex(({ text }) => text.includes('kubectl wait')) + 1;
      return [...others.slice(0, made), ...(picture === undefined ? [] : [picture]), ...others.slice(made)];
    },
  });
});
