/**
 * Holds the export to Argo Workflows against Argo's own validation, part of `npm run test:peers`. The validation is built from the module
 * that `go.mod` locks; its command can't be built so, because the module lacks the pages that the command embeds.
 *
 * @example node test/peers/argo/run.ts
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportToArgo } from '../../../shared/clusters/argo/export.ts';
import { builtInPoolTypes } from '../../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../../../shared/clusters/request/schema.ts';
import { resolve } from '../../../shared/clusters/resolved/resolve.ts';
import { runGo } from '../../kube/go.ts';

const requests: Record<string, Partial<ClusterRequestSpec>> = {
  'a request that says little': {},
  'a request with a subnet, federated credentials and Flux in the management cluster': {
    network: { subnetID: '/subscriptions/s/resourceGroups/n/providers/Microsoft.Network/virtualNetworks/v/subnets/s' },
    identity: { federatedCredentials: [{ name: 'app', serviceAccount: 'shop/app' }] },
    gitOps: {
      url: 'https://git.example/fleet',
      public: true,
      mode: 'remote',
      kustomizations: [{ name: 'infra' }, { name: 'apps', dependsOn: ['infra'] }],
    },
  },
};
const parameters = ['cluster-name=web', 'location=westeurope', 'kubernetes-version=1.35', 'kubectl-image=kubectl'];

function workflowOf(spec: Partial<ClusterRequestSpec>): unknown {
  const metadata = { name: 'web', namespace: 'team-a' };
  const whole = { location: 'westeurope', ...spec };
  const request = { apiVersion: 'poolwright.dev/v1alpha1', kind: 'ClusterRequest', metadata, spec: whole } as const;
  return exportToArgo(resolve(request, builtInPoolTypes), { types: builtInPoolTypes }).objects[0];
}

/** What the program prints of a workflow; `valid` if that is all. */
async function judge(program: string, workflow: unknown, given: readonly string[]): Promise<string> {
  const child = spawn(program, given, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdin.end(JSON.stringify(workflow));
  await new Promise((done, reject) => child.once('close', done).once('error', reject));
  return output.trim();
}

async function main(folder: string): Promise<number> {
  console.log("Building Argo's validation, about 2 min on two cores; later runs take seconds.");
  const program = join(folder, 'validate');
  await runGo(['build', '-trimpath', '-o', program, '.'], import.meta.dirname, '');

  const failures: string[] = [];
  for (const [title, spec] of Object.entries(requests)) {
    const answer = await judge(program, workflowOf(spec), parameters);
    if (answer !== 'valid') failures.push(`${title}: ${answer}`);
  }
  // Otherwise the program might take anything.
  const misused = await judge(program, workflowOf({}), [...parameters, 'enable-nap=maybe']);
  if (!misused.includes('enable-nap')) failures.push(`a value that the parameter does not allow: ${misused}`);
  for (const one of failures) console.log(`FAILED ${one}`);
  console.log(`${Object.keys(requests).length + 1 - failures.length} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), 'poolwright-argo-'));
try {
  process.exitCode = await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
