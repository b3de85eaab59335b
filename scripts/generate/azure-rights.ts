/**
 * Writes infra/azure/roles.json, which Bicep reads, and docs/azure-rights.md, from the list in infra/azure/rights.ts.
 * Run it after a change there; a test fails while the files are stale.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { azureRoles, dataRoles } from '../../infra/azure/rights.ts';

export const rolesFile = join(import.meta.dirname, '../../infra/azure/roles.json');
export const azureRightsPage = join(import.meta.dirname, '../../docs/azure-rights.md');

export function generatedRoles(): string {
  const custom = Object.entries(azureRoles).map(([name, { title, at, rights }]) => [
    name,
    {
      title,
      description: `Created by the Bicep of Poolwright; assigned at ${at}.`,
      actions: rights.map(({ action }) => action),
    },
  ]);
  const builtIn = Object.entries(dataRoles).map(([name, { id }]) => [name, id]);
  const content = { custom: Object.fromEntries(custom), builtIn: Object.fromEntries(builtIn) };
  // As the formatter has it: a list of one stands on one line.
  return `${JSON.stringify(content, null, 2).replace(/\[\n\s+("[^"]+")\n\s+\]/g, '[$1]')}\n`;
}

const intro = `<!-- Made by \`npm run generate\` from infra/azure/rights.ts. Change it there. -->

# Rights in Azure

These are all permissions of Poolwright in Azure. The Bicep in \`infra/azure/\` creates the roles and assigns them to the identity of the
function app. If you run the local host or the container, assign the same roles to its identity. The permissions inside a cluster are in
[rights.md](rights.md).

- If a right is missing, the claim's condition and the log name the refused action and its scope.
- No role allows Poolwright to read or change virtual machines, networks, secrets or other clusters, or to grant rights.
- A test compares this list with the code: every action that an error message names must be in this list, and every file that the list names must exist.
- Prices come from a public page and need no right.
`;

export function generatedAzureRightsPage(): string {
  const custom = Object.values(azureRoles).map(({ title, at, rights }) => {
    const rows = rights.map(({ action, why, usedIn }) => `| \`${action}\` | ${why} | \`${usedIn}\` |`);
    return `## ${title}\n\nAssigned at ${at}.\n\n| action | what it is for | used in |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  const rows = Object.values(dataRoles).map(({ title, on, why }) => `| ${title} | ${on} | ${why} |`);
  const data = `## Data\n\nBuilt-in roles of Azure, each at one resource. Keys and connection strings are disabled.\n\n| role | on | what it is for |\n|---|---|---|\n${rows.join('\n')}\n`;
  return `${intro}\n${[...custom, data].join('\n')}`;
}

if (import.meta.main) {
  writeFileSync(rolesFile, generatedRoles());
  writeFileSync(azureRightsPage, generatedAzureRightsPage());
  console.log('infra/azure/roles.json and docs/azure-rights.md are up to date');
}
