/** Comparisons and steps of a migration, for people and as documents. */
import type { Json } from '../../../../shared/base/json.ts';
import { type Assessment, isEquivalent } from '../../../../shared/clusters/migration/assess.ts';
import { describe, stateOf } from '../../../../shared/clusters/migration/kro/state.ts';
import type { MigrationStep } from '../../../../shared/clusters/migration/parts.ts';
import type { Finding } from '../../../../shared/clusters/rules/finding.ts';
import { printable } from '../../../terminal/text-table.ts';

const steps: Readonly<Record<MigrationStep, string>> = {
  recorded: 'saved as it is, with its objects',
  disarmed: 'no delete of its objects reaches Azure any more',
  suspended: 'KRO is told to leave it alone',
  settled: 'KRO stands still',
  'owners-cut': 'its objects no longer belong to it',
  'let-go': 'gone, and KRO has deleted nothing',
  taken: 'its objects belong to the request',
  proved: 'the same objects in Kubernetes and in Azure, and Ready',
  'handed-over': 'the host carries the request out',
  stopped: 'the host no longer carries the request out',
  released: 'its objects are as they were',
  recreated: 'created again, suspended',
  'given-back': 'KRO has taken its objects back, and it is ACTIVE',
  'guard-lifted': 'the request has its own guard again',
  'graph-deleted': 'graph definition deleted',
  'rights-removed': 'has no rights on KRO any more',
  committed: 'committed',
};

export const stepText = (step: MigrationStep): string => steps[step];

export const documentOf = (assessment: Assessment) => ({
  instance: describe(assessment.instance.object),
  graph: assessment.instance.graph.name,
  state: stateOf(assessment.instance.object),
  equivalent: isEquivalent(assessment),
  request: assessment.request ?? null,
  objects: assessment.objects,
  inNewCluster: assessment.inNewCluster,
  findings: assessment.findings,
});

export const assessmentsText = (assessments: readonly Assessment[]): string =>
  assessments.length === 0 ? 'KRO has no instance that makes a cluster.\n' : assessments.map(assessmentText).join('\n');

function assessmentText(assessment: Assessment): string {
  const { instance, objects, findings, inNewCluster, request } = assessment;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const verdict = isEquivalent(assessment)
    ? 'the request is equivalent'
    : errors.length === 0
      ? 'the request is not equivalent, and the changes are accepted'
      : `cannot be taken over now: ${errors.length === 1 ? '1 reason' : `${errors.length} reasons`}`;
  const lines = [`${describe(instance.object)} (graph ${instance.graph.name}): ${verdict}`];
  for (const finding of [...errors, ...findings.filter(({ severity }) => severity !== 'error')]) {
    lines.push(`  ${findingText(finding)}`);
  }
  if (request !== undefined) {
    lines.push(`  request  ClusterRequest ${request.metadata.namespace}/${request.metadata.name}`);
  }
  for (const { object, action, differences, kept } of objects) {
    lines.push(`  ${words[action].padEnd(9)}  ${object}`);
    for (const { field, live, wanted, class: kind } of differences) {
      lines.push(`    ${kind.padEnd(11)}  ${field}: ${shown(live)} -> ${shown(wanted)}`);
    }
    if (kept.length > 0) lines.push(`    kept         ${kept.join(', ')}`);
  }
  if (inNewCluster.length > 0) lines.push(`  created in the cluster  ${inNewCluster.join(', ')}`);
  return lines.map((line) => `${printable(line)}\n`).join('');
}

const words = { 'take-over': 'take over', create: 'create', keep: 'keep' } as const;

const findingText = ({ severity, field, code, cause, fix }: Finding): string =>
  `${severity.padEnd(7)}  ${field}: ${cause}; ${fix} (${code})`;

const longest = 60;

function shown(value: Json | undefined): string {
  if (value === undefined) return '(nothing)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

export interface CommitDocument {
  instances: readonly string[];
  graphs: readonly string[];
  graphsInUse: readonly { name: string; instances: number; uncommitted: number }[];
  definitions: readonly string[];
  roles: readonly string[];
  findings: readonly Finding[];
}

export function commitText({ instances, graphs, graphsInUse, definitions, roles, findings }: CommitDocument): string {
  const lines = [
    ...findings.map((one) => findingText(one)),
    ...instances.map((name) => `commit   ${name}`),
    ...graphs.map((name) => `delete   ResourceGraphDefinition ${name}: it has no instance`),
    ...definitions.map((name) => `delete   CustomResourceDefinition ${name}: there is no object of its kind`),
    ...roles.map((name) => `change   ${name}: its rights on kro.run go, because no graph is left`),
    ...graphsInUse.map(
      ({ name, instances: used, uncommitted }) =>
        `keep     ResourceGraphDefinition ${name}: ${used} instances, ${uncommitted} migrations that are not committed`,
    ),
  ];
  if (lines.length === 0) return 'There is nothing to commit.\n';
  return lines.map((line) => `${printable(line)}\n`).join('');
}
