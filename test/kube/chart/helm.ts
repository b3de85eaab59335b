/** The real helm, on our chart. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type KubeManifest, manifestsFrom } from '../cluster.ts';
import { getPart } from '../parts.ts';

export const chart = fileURLToPath(new URL('../../../infra/kubernetes/chart', import.meta.url));

export type Values = Record<string, unknown>;

export type Helm = (...args: string[]) => Promise<{ ok: boolean; out: string }>;

/** What it says on both outputs, whether it worked or not. */
export const helm: Helm = async (...args) => {
  try {
    const { stdout } = await promisify(execFile)(await getPart('helm'), args, { maxBuffer: 64 * 1024 * 1024 });
    return { ok: true, out: stdout };
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    return { ok: false, out: `${stdout}${stderr}` };
  }
};

/** Values as one JSON argument, so that no quoting is lost on the way. */
export const setting = (values: Values): string[] =>
  Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);

/** As on a cluster of today; helm itself knows none. */
const kubeVersion = '--kube-version=1.36.0';

export async function render(values: Values, ...args: string[]): Promise<KubeManifest[]> {
  const { ok, out } = await helm(
    'template',
    'test',
    chart,
    kubeVersion,
    '--namespace=tools',
    ...args,
    ...setting(values),
  );
  if (!ok) throw new Error(out);
  return manifestsFrom(out);
}

/** The words with which helm refuses the values. */
export async function refusal(values: Values, ...args: string[]): Promise<string> {
  const { ok, out } = await helm('template', 'test', chart, kubeVersion, ...args, ...setting(values));
  return ok ? 'it was rendered' : out;
}
