/** Writes docs/events.md from the catalog of Kubernetes Events. Run it after a change there; a test fails meanwhile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventCatalog } from '../../shared/nodes/steps/report/event-catalog.ts';

export const eventsPage = join(import.meta.dirname, '../../docs/events.md');

const intro = `# Kubernetes Events

Poolwright writes these Events. \`kubectl describe\` and \`kubectl get events\` show them. Reasons are stable: filter and alert on them.
An ordinary claim gets one Event, \`Ready\`; its conditions show the steps before, with their times. Every other Event
reports something that you may want to know or have to act on.

A repeated Event about the same object increases the count of the first one. A lasting problem (a blocked drain, a node class that is not
ready) is reported about once in half an hour, because the API server keeps Events for an hour. Events about cluster-scoped objects are in the namespace
\`default\`. If an Event cannot be written, Poolwright continues; \`poolwright explain\` shows the complete history.

<!-- Made by scripts/generate/event-docs.ts from shared/nodes/steps/report/event-catalog.ts: change it there. -->

| reason | type | about | meaning | what to do |
|---|---|---|---|---|
`;

export function eventDocs(): string {
  const rows = Object.entries(eventCatalog).map(
    ([reason, { type, about, meaning, todo }]) =>
      `| \`${reason}\` | ${type} | ${about} | ${meaning} | ${todo || '–'} |`,
  );
  return `${intro}${rows.join('\n')}\n`;
}

if (import.meta.main) writeFileSync(eventsPage, eventDocs());
