/**
 * `npm run bench:kube`: measures against a real kube-apiserver, with Karpenter and its kwok provider as the peer. Takes the same
 * options as `npm run bench`. The first run builds the programs, which takes minutes; a full run takes about half an hour
 * on two cores.
 *
 * The peer's metrics port listens on every interface, so everything runs in a network namespace that has loopback alone.
 */
import { spawnSync } from 'node:child_process';
import { getPart, moduleDirectory } from '../../test/kube/parts.ts';
import { runBench } from '../run.ts';
import { kubeFigures } from './figures.ts';

const inside = 'BENCH_KUBE_ISOLATED';

if (process.env[inside] === undefined) {
  // Outside, where there is a network to get them by.
  for (const part of ['etcd', 'kube-apiserver', 'karpenter-kwok'] as const) await getPart(part);
  await moduleDirectory('karpenter-kwok');
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status, error } = spawnSync(
    'unshare',
    ['--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...again],
    { stdio: 'inherit', env: { ...process.env, [inside]: '1' } },
  );
  if (error) {
    console.error(
      `The bench needs a network namespace of its own (unshare of util-linux, ip of iproute2): ${error.message}`,
    );
  }
  process.exit(status ?? 1);
}
await runBench(kubeFigures);
