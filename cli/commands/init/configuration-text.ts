/** The configuration as a person would write it: short, commented, and without secrets. */

import { stringify } from 'yaml';
import { defined } from '../../../shared/base/defined.ts';
import type { Wizard } from '../../../shared/providers/wizard.ts';
import { neededValues, type Plan } from './plan.ts';

const head = `# Poolwright's configuration. Every field: docs/configuration.md. Check it with: poolwright config check
`;

export function configurationText(
  { provider, deployment, cluster, values }: Plan,
  { lines, options }: Pick<Wizard, 'lines' | 'options'>,
): string {
  const tag = `
# A tag on every instance. Deployments that share a cloud account need different names.
${stringify({ deployment })}`;
  if (cluster === undefined) {
    return `${head}${tag}
# No cluster and no provider: the host starts a simulated cluster and a simulated cloud.
`;
  }
  const { name, kubeconfig, context } = cluster;
  const way = { kubeconfig, ...defined({ context }), providers: [provider] };
  return `${head}${tag}
clusters:
  # Your name for the cluster; it appears in logs and commands.
  ${stringify(name).trim()}:
${indented(stringify(way), 4)}    # The cap: at most this many claims have an instance. Raise it when you are ready.
    maxInstances: 10

providers:
  ${provider}:
${indented(stringify({ type: provider, ...(options?.(values) ?? configured(provider, values)) }), 4)}${lines.map((line) => `    ${line}\n`).join('')}`;
}

/** Flags may fill in what is no field of the configuration, such as a role for the node class. */
const configured = (provider: string, values: Plan['values']): Record<string, string> =>
  Object.fromEntries(neededValues(provider).map(({ field }) => [field, values[field] ?? '']));

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
