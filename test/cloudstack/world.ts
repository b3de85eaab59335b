/** The cloudstack provider on the stand-in, with the stand-in's site and keys. */
import { onTestFinished } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { forgetSecrets } from '../../shared/base/secrets/known-secrets.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { assembleCloudStack } from '../../shared/providers/cloudstack/assemble.ts';
import { readCloudStackOptions } from '../../shared/providers/cloudstack/options.ts';
import type { CloudStackTuning } from '../../shared/providers/cloudstack/parts.ts';
import type { ProviderContext } from '../../shared/providers/context.ts';
import type { CloudStackOptions as StandInOptions } from '../../sim/cloudstack/start.ts';
import { standIn } from '../sim/cloudstack/stand-in.ts';
import { testContext } from '../stand-ins/provider-context.ts';

export interface WorldOptions {
  standIn?: StandInOptions;
  /** Of the provider. */
  options?: { [field: string]: Json };
  context?: Partial<ProviderContext>;
  env?: Record<string, string>;
  as?: 'user' | 'admin';
  tuning?: CloudStackTuning;
}

export async function cloudStackWorld(more: WorldOptions = {}) {
  forgetSecrets();
  onTestFinished(forgetSecrets);
  const stage = await standIn(more.standIn);
  const { cloudstack, clock } = stage;
  const log = collectingLog();
  const env = { ...(more.as === 'admin' ? cloudstack.adminEnv : cloudstack.env), ...more.env };
  const context = testContext({ clock, log, env, ...more.context });
  const options = readCloudStackOptions(more.options ?? {}, env, 'my-cluster');
  if (!options.ok) throw new Error(options.error.message);
  const provider = assembleCloudStack({ ...options.value, requestsPerSecond: 10_000 }, context, more.tuning);
  onTestFinished(async () => {
    provider.close();
    await stage.close();
  });
  return { ...stage, provider, context, log, env };
}

export const signal = new AbortController().signal;

/** A class for the site of the stand-in; what is `undefined` is left out. */
export function classOf(spec: { [field: string]: Json | undefined } = {}): { name: string; spec: Json } {
  const discovery = { tags: { 'karpenter.sh/discovery': 'my-cluster' } };
  const made = {
    zone: 'zone-01',
    networkSelectorTerms: [discovery],
    serviceOfferingSelectorTerms: [discovery],
    templateSelectorTerms: [{ name: 'ubuntu-22.04-kubernetes' }],
    userData: '#cloud-config\n',
    ...spec,
  };
  const given = Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
  return { name: 'default', spec: given as Json };
}
