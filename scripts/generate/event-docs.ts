/** Writes docs/events.md from the catalogue of Kubernetes Events. Run it after a change there; a test fails meanwhile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventCatalogue } from '../../shared/nodes/steps/report/event-catalogue.ts';

export const eventsPage = join(import.meta.dirname, '../../docs/events.md');

const intro = `# Kubernetes Events

What \`kubectl describe\` shows at the end, and \`kubectl get events\` lists. Reasons are stable: filter and alert on them.
An ordinary claim has one Event in its life, \`Ready\`; the steps on the way stand in its conditions, with their times. All others
tell of something that you may want to know, or have to do.

The same news about the same object is one Event that counts. What lasts (a drain that is held up, a node class that is not
ready) is told once in half an hour, because the API server keeps Events for an hour. Events about objects without a namespace stand in
\`default\`. An Event that cannot be written never holds anything up; \`explain\` has the whole story.

<!-- Made by scripts/generate/event-docs.ts from shared/nodes/steps/report/event-catalogue.ts: change it there. -->

| reason | type | about | meaning | what to do |
|---|---|---|---|---|
`;

export function eventDocs(): string {
  const rows = Object.entries(eventCatalogue).map(
    ([reason, { type, about, meaning, todo }]) =>
      `| \`${reason}\` | ${type} | ${about} | ${meaning} | ${todo || '–'} |`,
  );
  return `${intro}${rows.join('\n')}\n`;
}

if (import.meta.main) writeFileSync(eventsPage, eventDocs());
