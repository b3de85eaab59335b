/** Columns that several kinds share, and those that a CustomResourceDefinition declares. */
import type { Json } from '../../../shared/base/json.ts';
import { ageOf } from '../duration.ts';
import { readJsonPath } from '../json-path.ts';
import { type Column, fieldAt, type KubeObject, listAt, textAt } from '../types.ts';

type Cell = (object: KubeObject, now: number) => Json;

export function column(name: string, description: string, cell: Cell, type: Column['type'] = 'string'): Column {
  return { name, type, description, priority: 0, cell };
}

/** A column that shows with `-o wide` only. */
export function wide(name: string, description: string, cell: Cell, type: Column['type'] = 'string'): Column {
  return { name, type, description, priority: 1, cell };
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique among its kind in its namespace.',
  priority: 0,
  cell: (object) => object.metadata.name,
};

export const ageColumn = column('Age', 'Time since the object was created.', (object, now) =>
  ageOf(object.metadata.creationTimestamp, now),
);

/** kubectl's word for nothing to show. */
export const orNone = (text: string): string => (text === '' ? '<none>' : text);

export function conditionStatus(object: KubeObject, type: string): string {
  for (const condition of listAt(object, 'status', 'conditions')) {
    if (textAt(condition, 'type') === type) return textAt(condition, 'status');
  }
  return '';
}

/** Columns of a custom resource: its name, then what its definition lists, or its age when that lists nothing. */
export function declaredColumns(declared: Json | undefined): Column[] {
  if (!Array.isArray(declared) || declared.length === 0) return [nameColumn, ageColumn];
  return [nameColumn, ...declared.map(declaredColumn)];
}

function declaredColumn(declared: Json): Column {
  const path = textAt(declared, 'jsonPath');
  const type = textAt(declared, 'type') as Column['type'];
  const format = textAt(declared, 'format');
  const priority = Number(fieldAt(declared, 'priority') ?? 0);
  return {
    name: textAt(declared, 'name'),
    type,
    ...(format === '' ? {} : { format }),
    description: textAt(declared, 'description'),
    priority,
    cell: (object, now) => declaredCell(readJsonPath(object, path), type, now),
  };
}

function declaredCell(found: Json[], type: Column['type'], now: number): Json {
  const first = found[0];
  if (first === undefined) return null;
  switch (type) {
    case 'date':
      return ageOf(String(first), now);
    case 'integer':
    case 'number':
      return typeof first === 'number' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    default:
      return found.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))).join(',');
  }
}
