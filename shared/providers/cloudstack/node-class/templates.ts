/** The templates that a class selects, in each of its zones. */
import type { Template } from '../site/answers.ts';
import { type Found, missing, withNote } from './found.ts';
import type { ResolvedTemplate, ResolvedZone } from './resolved.ts';
import type { TemplateTerm } from './schema.ts';
import { resourceTag, select } from './terms.ts';

export interface FoundTemplates {
  /** The newest comes first. */
  templates: ResolvedTemplate[];
  zones: ResolvedZone[];
}

export function findTemplates(
  terms: readonly TemplateTerm[],
  templates: readonly Template[],
  zones: readonly ResolvedZone[],
): Found<FoundTemplates> {
  const path = 'spec.templateSelectorTerms';
  const found: ResolvedTemplate[] = [];
  const good: ResolvedZone[] = [];
  const waiting: string[] = [];
  const absent: string[] = [];
  for (const zone of zones) {
    // A template that is in all zones at once says none.
    const here = templates
      .filter(({ zoneid }) => zoneid === undefined || zoneid === zone.id)
      .map((template) => ({ ...template, osType: template.ostypename ?? '' }));
    const { found: selected, empty } = select(terms, here, path, resourceTag);
    const ready = selected.filter(({ item }) => item.isready !== false);
    if (ready.length > 0) {
      good.push(zone);
      found.push(...ready.map(({ item }) => resolvedTemplate(item, zone.id)));
    } else if (selected.length > 0) {
      const names = selected.map(({ item }) => item.name).join(', ');
      waiting.push(`template ${names} is not ready in zone ${zone.name}`);
    } else absent.push(`no template of zone ${zone.name} matches ${empty.join(', or ')}`);
  }
  if (good.length > 0) return withNote({ templates: found.sort(newestFirst), zones: good }, [...waiting, ...absent]);
  if (waiting.length > 0) {
    return missing(
      'TemplateNotReady',
      `${waiting.join('; ')}; wait until CloudStack has copied it there, or select another template`,
    );
  }
  return missing('TemplatesNotFound', absent.join('; '));
}

const archs: Readonly<Record<string, ResolvedTemplate['arch']>> = {
  x86_64: 'amd64',
  amd64: 'amd64',
  aarch64: 'arm64',
  arm64: 'arm64',
  s390x: 's390x',
};

function resolvedTemplate(template: Template, zoneId: string): ResolvedTemplate {
  const { id, name, ostypename = '', arch = '', hypervisor = '', size = 0, created = '', userdataid } = template;
  return {
    id,
    name,
    zoneId,
    osType: ostypename,
    arch: archs[arch.toLowerCase()] ?? 'amd64',
    hypervisor,
    size,
    createdAt: created,
    ...(userdataid === undefined ? {} : { hasUserData: true }),
  };
}

const newestFirst = (a: ResolvedTemplate, b: ResolvedTemplate): number =>
  timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1);

/** CloudStack writes `2026-01-31T10:00:00+0000`. */
const timeOf = ({ createdAt }: ResolvedTemplate): number =>
  Date.parse(createdAt.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) || 0;
