/** `poolwright adopt`: what the host would do is shown first, word for word; it is done when somebody says yes. */
import type { ClusterChoice } from '../../reach/cluster-access.ts';
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { parseTarget } from '../../reach/target.ts';
import { clusterFor } from '../../reach/which-cluster.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';

export interface AdoptOptions extends HostAddress, ClusterChoice, Consent {
  dataDir: string;
  cluster?: string;
  output: DocumentFormat;
}

interface Adoption {
  cluster: string;
  name: string;
  need: 'foreign' | 'unreadable';
  provider: string;
  instance: string;
  providerID: string;
  instanceType: string;
  zone: string;
  attempt: number;
  tags: Record<string, string>;
  done: boolean;
}

export async function adopt(words: readonly string[], options: AdoptOptions, terminal: Terminal): Promise<number> {
  const { name } = parseTarget(words, ['claim']);
  return withHostApi(options, async (api) => {
    const cluster = await clusterFor(api, options);
    const ask = (dryRun: boolean): Promise<Adoption> =>
      api.ask('POST', `/v1/claims/${encodeURIComponent(cluster)}/${encodeURIComponent(name)}/adopt`, {
        body: { dryRun },
      });
    const looked = await ask(true);
    const print = (adoption: Adoption, text: string): Promise<void> =>
      printDocument(adoption, () => text, options.output, terminal);
    if (options.output === 'text') terminal.err(shown(looked));
    if (!(await confirmed(terminal, changeOf(looked), options))) {
      await print(looked, '');
      return exitCodes.done;
    }
    const done = await ask(false);
    const { attempt, provider, instance } = done;
    await print(
      done,
      `${printable(`claim/${done.name} is adopted: attempt ${attempt} at ${provider}, ${instance}`)}\n`,
    );
    return exitCodes.done;
  });
}

function shown({ need, provider, instance, providerID, instanceType, zone, attempt, tags }: Adoption): string {
  const why =
    need === 'foreign'
      ? 'Another provisioner created its instance.'
      : 'Its attempt record cannot be read. One matching instance was found.';
  const place = zone === '' ? '' : ` in ${zone}`;
  const lines = [
    why,
    `  machine   ${instance}, ${instanceType}${place} (${providerID})`,
    `  provider  ${provider}`,
    `  record    attempt ${attempt}, open`,
    ...Object.entries(tags).map(([key, value], index) => `  ${index === 0 ? 'tags    ' : '        '}  ${key}=${value}`),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

const changeOf = ({ cluster, name, need, instance }: Adoption): string =>
  printable(
    need === 'foreign'
      ? `Adopt claim/${name} of cluster ${cluster}: tag ${instance} as owned by this deployment and write the attempt record on the claim`
      : `Adopt claim/${name} of cluster ${cluster}: rebuild its attempt record from ${instance}`,
  );
