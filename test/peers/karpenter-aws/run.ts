/**
 * Runs the CRD suite of Karpenter's provider for AWS against our definitions: `npm run test:peers`. The suite is built from the module that
 * `go.mod` locks, with our CRDs in place of its own, and starts the kube-apiserver and etcd that `test:kube` uses.
 *
 * @example node test/peers/karpenter-aws/run.ts
 */
import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGo } from '../../kube/go.ts';
import { getPart } from '../../kube/parts.ts';
import { readReport } from './report.ts';

const module = 'github.com/aws/karpenter-provider-aws';
const ours = join(import.meta.dirname, '../../../infra/kubernetes/crds');
const replaced = [
  'karpenter.k8s.aws_ec2nodeclasses.yaml',
  'karpenter.sh_nodeclaims.yaml',
  'karpenter.sh_nodepools.yaml',
];
/** The figure of v1.14.1. Another one means that the suite was not found as a whole, or that the module has another version. */
const cases = 268;

const go = (...args: string[]): Promise<string> => runGo(args, import.meta.dirname, '');

async function main(folder: string): Promise<number> {
  for (const name of ['kube-apiserver', 'etcd'] as const) symlinkSync(await getPart(name), join(folder, name));
  await go('mod', 'download', module);
  const theirs = (await go('list', '-m', '-f', '{{.Dir}}', module)).trim();
  const source = copyWithOurs(theirs, folder);
  // Go's overlays may not replace files of the module cache, so a copy of the module stands in for it.
  const locked = join(folder, 'locked.mod');
  const lines = readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8');
  writeFileSync(locked, `${lines}\nreplace ${module} => ${source}\n`);
  copyFileSync(join(import.meta.dirname, 'go.sum'), join(folder, 'locked.sum'));

  console.log(`Building the suite of ${module}, about 4 min on two cores; later runs take seconds.`);
  const suite = join(folder, 'suite.test');
  await go('test', '-c', '-trimpath', `-modfile=${locked}`, '-o', suite, `${module}/pkg/apis/v1`);

  const report = join(folder, 'report.json');
  const code = await run(suite, [`--ginkgo.json-report=${report}`, '--ginkgo.succinct'], folder);
  const { passed, failed } = readReport(JSON.parse(readFileSync(report, 'utf8')));
  for (const one of failed) console.log(`FAILED ${one}`);
  console.log(`${passed} passed, ${failed.length} failed`);
  const complete = passed + failed.length >= cases;
  if (!complete) console.log(`The suite has ${cases} cases or more, but only ${passed + failed.length} ran.`);
  return code === 0 && complete ? 0 : 1;
}

/** Files of the module cache are read-only, and their copies with them. */
function copyWithOurs(theirs: string, folder: string): string {
  const source = join(folder, 'source');
  cpSync(join(theirs, 'pkg'), join(source, 'pkg'), { recursive: true });
  cpSync(join(theirs, 'go.mod'), join(source, 'go.mod'));
  for (const file of replaced) {
    const target = join(source, 'pkg/apis/crds', file);
    rmSync(target, { force: true });
    copyFileSync(join(ours, file), target);
  }
  return source;
}

function run(program: string, args: string[], folder: string): Promise<number> {
  const child = spawn(program, args, {
    cwd: folder,
    // What it prints of each failure is long and has their paths; the report has the names.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, KUBEBUILDER_ASSETS: folder },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

const folder = mkdtempSync(join(tmpdir(), 'poolwright-peers-'));
try {
  process.exitCode = await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
