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
      description: `Made by the Bicep of Poolwright; given at ${at}.`,
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

This is all that Poolwright may do in Azure. The Bicep in \`infra/azure/\` makes the roles and gives them to the identity of the
function app; who runs the local host or the container gives the same ones to its identity. What it may do inside a cluster is another list:
[rights.md](rights.md).

- A missing right is named where it is missed: the claim's condition and the log say which action was refused, and on what.
- Nothing here reads or changes virtual machines, networks, secrets or other clusters, and nothing gives rights to others.
- A test compares this list with the code: an action that is asked for in an error message must be here, and every file named here must exist.
- Prices come from a public page and need no right.
`;

export function generatedAzureRightsPage(): string {
  const custom = Object.values(azureRoles).map(({ title, at, rights }) => {
    const rows = rights.map(({ action, why, usedIn }) => `| \`${action}\` | ${why} | \`${usedIn}\` |`);
    return `## ${title}\n\nGiven at ${at}.\n\n| action | what it is for | used in |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  const rows = Object.values(dataRoles).map(({ title, on, why }) => `| ${title} | ${on} | ${why} |`);
  const data = `## Data\n\nRoles of Azure's own, at one resource each. Keys and connection strings are switched off.\n\n| role | on | what it is for |\n|---|---|---|\n${rows.join('\n')}\n`;
  return `${intro}\n${[...custom, data].join('\n')}`;
}

if (import.meta.main) {
  writeFileSync(rolesFile, generatedRoles());
  writeFileSync(azureRightsPage, generatedAzureRightsPage());
  console.log('infra/azure/roles.json and docs/azure-rights.md are up to date');
}
