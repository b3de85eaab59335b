/** Whether a provider has the fields of its type, and no others. */
import type { ProviderManifest } from '../providers/manifest.ts';
import { manifestOf } from '../providers/manifests.ts';
import type { CrossProblem } from './cross-checks.ts';
import { providerFieldNames } from './provider-schema.ts';

/** Each field, with the types that have it. */
const owners = new Map<string, string[]>();
for (const { type, names } of providerFieldNames) {
  for (const field of names) owners.set(field, [...(owners.get(field) ?? []), type]);
}

export function providerProblems(at: string[], provider: Record<string, unknown>): CrossProblem[] {
  const type = String(provider.type);
  const manifest: ProviderManifest | undefined = manifestOf(type);
  // Another word is the schema's to report.
  if (manifest === undefined) return [];
  const missing = Object.entries(manifest.required ?? {}).filter(([field]) => provider[field] === undefined);
  if (missing.length > 0) return missing.map(([field, message]) => ({ path: [...at, field], message }));
  return [...owners].flatMap(([field, types]) =>
    provider[field] === undefined || types.includes(type)
      ? []
      : [
          {
            path: [...at, field],
            message: `belongs to providers of type ${types.join(' and ')}, but this provider is of type ${type}: remove it`,
          },
        ],
  );
}
