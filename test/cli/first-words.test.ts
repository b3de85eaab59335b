/** What a person types first: nothing, `version`, and what a shell completes. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { main } from '../../cli/main.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { version } from '../../cli/version.ts';
import { clusterWorld } from './cluster-world.ts';
import { poolwright } from './collect.ts';

it('a bare poolwright prints help and starts nothing', async () => {
  const { code, out, err } = await poolwright();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^Usage: poolwright /);
  expect(out).toContain('start [options]');
});

it('version prints the version alone', async () => {
  expect(await poolwright('version')).toMatchObject({ code: 0, out: `${version}\n` });
});

/** Lets a real bash complete what was typed. */
async function completed(...typed: string[]): Promise<string[]> {
  const { out } = await poolwright('completion', 'bash');
  const words = typed.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(poolwright ${words}); COMP_CWORD=${typed.length}; _poolwright; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${out}\n${ask}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

it('bash completes commands, kinds, commands of commands and options', async () => {
  expect(await completed('ex')).toEqual(['explain']);
  expect(await completed('get', 'po')).toEqual(['pools']);
  expect(await completed('explain', 'no')).toEqual(['node/', 'nodeclass/']);
  expect(await completed('deadletters', 're')).toEqual(['replay']);
  expect(await completed('get', 'claims', '--kubec')).toEqual(['--kubeconfig']);
  expect(await completed('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
});

it('zsh gets the same script behind its own head, fish lines of its own', async () => {
  expect((await poolwright('completion', 'zsh')).out).toMatch(/^#compdef poolwright\n/);
  const { out } = await poolwright('completion', 'fish');
  expect(out).toContain("complete -c poolwright -n '__fish_use_subcommand' -a explain -d ");
  expect(out).toMatch(/-n '__fish_seen_subcommand_from get' -l kubeconfig -d /);
  expect((await poolwright('completion', 'tcsh')).code).toBe(2);
});

it.each(['claims', 'nodes', 'pools', 'nodeclasses'])('get %s fits a terminal of 80 columns', async (kind) => {
  const world = await clusterWorld();
  try {
    const name = 'a-pool-of-workers-x7f3a9';
    const labels = {
      'node.kubernetes.io/instance-type': 'Standard_NC4as_T4_v3',
      'topology.kubernetes.io/zone': 'westeurope-1',
      'karpenter.sh/capacity-type': 'on-demand',
      'karpenter.sh/nodepool': 'a-pool-of-workers',
    };
    await world.claim(name, {
      metadata: { labels },
      attempt: { provider: 'production-aks', state: 'open', attempt: 1 },
      status: { nodeName: 'aks-a-pool-of-workers-12345678-vmss000000' },
    });
    await world.node('ip-10-0-12-34', { metadata: { labels } });
    let out = '';
    const terminal = plainTerminal({ out: (text) => (out += text), err: () => undefined }, { columns: () => 80 });
    await main(['get', kind, '--kubeconfig', world.kubeconfig], terminal);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    if (kind === 'claims') expect(out).toMatch(/^NAME .*READY .*WHY/);
  } finally {
    await world.close();
  }
});
