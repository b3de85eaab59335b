/** What to type next, in the order in which it works. */
import { usualFile } from '../../reach/which-file.ts';
import type { Plan } from './plan.ts';

export function nextSteps({ cluster, wish }: Plan, [file = usualFile, manifest = '']: readonly string[]): string {
  const flags = cluster === undefined ? '' : ` --context ${quoted(cluster.context ?? '')}`;
  const where =
    cluster === undefined || cluster.kubeconfig === 'default' ? '' : ` --kubeconfig ${quoted(cluster.kubeconfig)}`;
  const kubectl = cluster === undefined ? 'kubectl --kubeconfig .poolwright/kubeconfig' : `kubectl${where}${flags}`;
  const steps = [
    ...(cluster === undefined ? [] : [`poolwright crds install${where}${flags}`]),
    `poolwright start --config ${quoted(file)}`,
    `${kubectl} apply -f ${quoted(manifest)}     # in another terminal`,
    wish.kind === 'claim' ? `poolwright explain claim/${wish.name}` : 'poolwright get claims',
  ];
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

const quoted = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
