/** The schemas of the events, as components of the OpenAPI document. */
import { catalog, type EventType, eventTypes } from '../../../../events/catalog.ts';
import { documented } from '../../kit/json-body.ts';
import type { HttpApp } from '../../options.ts';

/** `dev.poolwright.claim.changed.v1` → `ClaimChangedV1`. */
export const eventSchemaName = (type: EventType): string =>
  type
    .replace(/^dev\.poolwright\./, '')
    .split(/[.-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

export function addEventSchemas(app: HttpApp): void {
  for (const type of eventTypes) {
    const { title, description } = catalog[type];
    const schema = documented(() => catalog[type].schema, { title, description });
    app.openAPIRegistry.registerComponent('schemas', eventSchemaName(type), schema);
  }
}
