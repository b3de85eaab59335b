/** Reads the spec of a MachineNodeClass. Everything that is wrong is told at once, with the field and what to do. */
import type { Json } from '../../../base/json.ts';
import { failedBy, type Problem } from '../../../base/problems.ts';
import { ok, type Result } from '../../../base/result.ts';
import { parseTemplate } from '../../../bootstrap/template.ts';
import { parseSpec } from '../../node-class-spec.ts';
import { type MachineNodeClassSpec, machineNodeClassSchema, type PlacementSpec } from './schema.ts';

const fields = Object.keys(machineNodeClassSchema.shape);

/** @returns `invalid` with one problem for each mistake. */
export function parseNodeClass(spec: Json): Result<MachineNodeClassSpec> {
  const parsed = parseSpec(machineNodeClassSchema, spec, fields);
  if (!parsed.ok) return failedBy(parsed.problems);
  const problems = togetherProblems(parsed.value);
  return problems.length === 0 ? ok(parsed.value) : failedBy(problems);
}

export interface Zone {
  name: string;
  server: string;
  placement: PlacementSpec | undefined;
}

/** What a zone leaves out is as the class says. */
export function zonesOf({ provider = '', zones, placement }: MachineNodeClassSpec): Zone[] {
  if (zones === undefined) return [{ name: provider, server: provider, placement }];
  return zones.map((zone) => ({
    name: zone.name,
    server: zone.provider ?? provider,
    placement:
      zone.placement === undefined && placement === undefined ? undefined : { ...placement, ...zone.placement },
  }));
}

function togetherProblems(spec: MachineNodeClassSpec): Problem[] {
  const { provider, zones, image, userData = '', metaData = '', userDataSettings, tags = {} } = spec;
  const problems: Problem[] = [];
  if (provider === undefined && !zones?.every((zone) => zone.provider !== undefined)) {
    problems.push({ path: 'spec.provider', message: 'is required unless each zone names a provider' });
  }
  if (image.templateName === undefined && image.path === undefined && image.url === undefined) {
    problems.push({ path: 'spec.image', message: 'has no source: set templateName, path or url' });
  }
  for (const list of ['zones', 'sizes', 'networks', 'disks'] as const) problems.push(...twice(spec[list] ?? [], list));
  for (const key of Object.keys(tags)) {
    if (!key.startsWith('poolwright.dev/')) continue;
    problems.push({
      path: `spec.tags["${key}"]`,
      message: 'identifies the owner of a machine and is set by the provisioner; remove it',
    });
  }
  if (userDataSettings?.template === false) return problems;
  return [
    ...problems,
    ...parseTemplate(userData, 'spec.userData').problems,
    ...parseTemplate(metaData, 'spec.metaData').problems,
  ];
}

const twice = (all: readonly { name: string }[], list: string): Problem[] =>
  all.flatMap(({ name }, index) =>
    all.findIndex((one) => one.name === name) === index
      ? []
      : [{ path: `spec.${list}[${index}].name`, message: `${name} is there twice; give it another name` }],
  );
