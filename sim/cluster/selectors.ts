/** Label and field selectors, parsed once per request. */
import { ApiError, badRequest } from './api-error.ts';
import { type KubeObject, own, type Resource } from './types.ts';

export type Matcher = (object: KubeObject) => boolean;

const nameOrPrefixed = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Undefined when there is nothing to select by. */
export function parseLabelSelector(text: string | undefined): Matcher | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const matchers = splitTopLevel(text).map((part) => labelTerm(part.trim(), text));
  return (object) => matchers.every((matches) => matches(object.metadata.labels));
}

type LabelMatcher = (labels: { [key: string]: string } | undefined) => boolean;

/** Commas inside the parentheses of a set belong to the set. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function labelTerm(term: string, whole: string): LabelMatcher {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(term);
  if (set) {
    const key = checkedKey(set[1] ?? '', whole);
    const values = new Set((set[3] ?? '').split(',').map((value) => checkedValue(value.trim(), whole)));
    const wanted = set[2] === 'in';
    return (labels) => {
      const value = own(labels, key);
      return value === undefined ? !wanted : values.has(value) === wanted;
    };
  }
  const equality = /^([^=!<>\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
  if (equality) {
    const key = checkedKey(equality[1] ?? '', whole);
    const value = checkedValue(equality[3] ?? '', whole);
    return equality[2] === '!=' ? (labels) => own(labels, key) !== value : (labels) => own(labels, key) === value;
  }
  const order = /^([^=!<>\s]+)\s*([<>])\s*(-?\d+)$/.exec(term);
  if (order) {
    const key = checkedKey(order[1] ?? '', whole);
    const bound = Number(order[3]);
    const greater = order[2] === '>';
    return (labels) => {
      const value = Number(own(labels, key) ?? Number.NaN);
      return greater ? value > bound : value < bound;
    };
  }
  const absent = /^!\s*(\S+)$/.exec(term);
  if (absent) {
    const key = checkedKey(absent[1] ?? '', whole);
    return (labels) => own(labels, key) === undefined;
  }
  const key = checkedKey(term, whole);
  return (labels) => own(labels, key) !== undefined;
}

function checkedKey(key: string, whole: string): string {
  if (!nameOrPrefixed.test(key))
    throw badRequest(`unable to parse requirement: invalid label key "${key}" in "${whole}"`);
  return key;
}

function checkedValue(value: string, whole: string): string {
  if (value.length > 63 || !labelValue.test(value)) {
    throw badRequest(`unable to parse requirement: invalid label value "${value}" in "${whole}"`);
  }
  return value;
}

export interface FieldSelector {
  matches: Matcher;
  /** Set when the selector pins the name, so that a list needs no scan. */
  name: string | undefined;
}

/** Parses `metadata.name=x,spec.nodeName!=y`. Fields that the kind does not offer are refused, as the real server does. */
export function parseFieldSelector(text: string | undefined, resource: Resource): FieldSelector | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  let name: string | undefined;
  const matchers: Matcher[] = text.split(',').map((term) => {
    const parts = /^([^=!]+?)\s*(==|=|!=)\s*(.*)$/.exec(term.trim());
    if (!parts) throw badRequest(`invalid field selector "${text}": a term reads field=value or field!=value`);
    const [, field = '', operator, value = ''] = parts;
    const read = fieldReader(field, resource);
    if (operator !== '!=' && field === 'metadata.name') name = value;
    return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
  });
  return { matches: (object) => matchers.every((matches) => matches(object)), name };
}

function fieldReader(field: string, resource: Resource): (object: KubeObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name;
  if (field === 'metadata.namespace') return (object) => object.metadata.namespace ?? '';
  const read = own(resource.selectableFields, field);
  if (read) return read;
  throw new ApiError(
    400,
    'BadRequest',
    resource.custom
      ? `field label not supported: ${field}`
      : `field label "${field}" not supported for kind "${resource.kind}"`,
  );
}
